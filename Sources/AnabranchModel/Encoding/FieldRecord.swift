import AnabranchReplication

/// A value that is the content of a field.
protocol FieldContent: Sendable {
    var content: [UInt8] { get }

    /// Reads exactly the content.
    ///
    /// - Parameter depth: The number of records of this type that contain the field.
    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError)
}

/// A part of a model that is a record of fields.
protocol FieldRecord: FieldContent {
    /// The record without any field.
    static var blank: Self { get }

    /// The fields in ascending order of their numbers.
    static var fields: [RecordField<Self>] { get }
}

/// One kind of field of a record.
struct RecordField<Record: Sendable>: Sendable {
    typealias Path<Value> = WritableKeyPath<Record, Value> & Sendable

    let number: UInt8
    /// The contents of the fields that the record has under this number; default values are left
    /// out.
    let contents: @Sendable (Record) -> [[UInt8]]
    /// Adds a field that was read to the record.
    let add: @Sendable (ByteReader, Int, inout Record) throws(ChangeSetDecodingError) -> Void

    /// A value that always has a field.
    static func value<Value: FieldContent>(
        _ number: UInt8, _ path: any Path<Value>
    ) -> RecordField {
        RecordField(number: number) {
            [$0[keyPath: path].content]
        } add: { (field, depth, record) throws(ChangeSetDecodingError) in
            record[keyPath: path] = try Value(content: field, depth: depth)
        }
    }

    /// A value that has a field if it is not the default.
    static func value<Value: FieldContent & Equatable>(
        _ number: UInt8, _ path: any Path<Value>, unless omitted: Value
    ) -> RecordField {
        RecordField(number: number) {
            $0[keyPath: path] == omitted ? [] : [$0[keyPath: path].content]
        } add: { (field, depth, record) throws(ChangeSetDecodingError) in
            record[keyPath: path] = try Value(content: field, depth: depth)
        }
    }

    /// A value that has a field if it is not nil.
    static func optional<Value: FieldContent>(
        _ number: UInt8, _ path: any Path<Value?>
    ) -> RecordField {
        RecordField(number: number) {
            $0[keyPath: path].map { [$0.content] } ?? []
        } add: { (field, depth, record) throws(ChangeSetDecodingError) in
            record[keyPath: path] = try Value(content: field, depth: depth)
        }
    }

    /// One field for each element, in the order of the elements.
    static func each<Value: FieldContent>(
        _ number: UInt8, _ path: any Path<[Value]>
    ) -> RecordField {
        RecordField(number: number) {
            $0[keyPath: path].map(\.content)
        } add: { (field, depth, record) throws(ChangeSetDecodingError) in
            let inner = Value.self == Record.self ? depth + 1 : 0
            record[keyPath: path].append(try Value(content: field, depth: inner))
        }
    }

    /// A flag, which has an empty field if it is not the default.
    static func flag(
        _ number: UInt8, _ path: any Path<Bool>, unless omitted: Bool = false
    ) -> RecordField {
        RecordField(number: number) {
            $0[keyPath: path] == omitted ? [] : [[]]
        } add: { (field, _, record) throws(ChangeSetDecodingError) in
            try field.expectEnd()
            record[keyPath: path] = !omitted
        }
    }

    /// One field for each entry, sorted by the bytes of the keys. The field contains two texts,
    /// each with its length.
    static func entries(_ number: UInt8, _ path: any Path<[String: String]>) -> RecordField {
        RecordField(number: number) { record in
            let entries = record[keyPath: path].sorted { $0.key.precedesByBytes($1.key) }
            return entries.map { key, value in
                var content = ByteWriter()
                content.append(string: key)
                content.append(string: value)
                return content.bytes
            }
        } add: { (field, _, record) throws(ChangeSetDecodingError) in
            var content = field
            let key = try content.readString()
            record[keyPath: path][key] = try content.readString()
            try content.expectEnd()
        }
    }
}

extension FieldRecord {
    var content: [UInt8] {
        var writer = ByteWriter()
        for field in Self.fields {
            for content in field.contents(self) {
                writer.append(byte: field.number)
                writer.append(block: content)
            }
        }
        return writer.bytes
    }

    /// Reads fields in any order. An unknown field throws, because skipping it would read a
    /// different model.
    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError) {
        guard depth < ModelLimits.deepestComposite else {
            throw content.failure(.malformed, "too many composite attributes are inside each other")
        }
        var reader = content
        self = .blank
        while !reader.isAtEnd {
            let number = try reader.readByte()
            let field = try reader.readNested()
            guard let known = Self.fields.first(where: { $0.number == number }) else {
                throw field.failure(.unsupportedVersion, "a record has a field of number \(number)")
            }
            try known.add(field, depth, &self)
        }
    }
}
