import AnabranchReplication
import Foundation

extension FetchedRow {
    /// Decodes the row as a value of a type, by the names of the columns.
    ///
    /// A column `a.b` is also the member `b` of a member `a`. A member can have any type that a
    /// property of an object can have, and the other integer types; that of an object is the text
    /// or the URL of its ID.
    ///
    /// - Throws: `DecodingError` with the name of the column.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try T(from: RowDecoder(row: self, prefix: "", codingPath: []))
    }
}

/// Decodes a row, or the columns with names that begin alike.
private struct RowDecoder: Decoder {
    let row: FetchedRow
    /// The beginning of the names of the columns, with a point at its end; empty for all columns.
    let prefix: String
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw mismatch([Any].self, "A row of values has no arrays.")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        let name = String(prefix.dropLast())
        if !prefix.isEmpty, let place = row.columns.places[name] {
            return ContentContainer(decoder: self, content: row.contents[place], name: name)
        }
        guard prefix.isEmpty, row.contents.count == 1 else {
            throw mismatch(Any.self, "A row of \(row.contents.count) columns is no single value.")
        }
        return ContentContainer(decoder: self, content: row.contents[0], name: row.names[0])
    }

    func inside(_ key: any CodingKey) -> RowDecoder {
        RowDecoder(row: row, prefix: prefix + key.stringValue + ".", codingPath: codingPath + [key])
    }

    func mismatch(_ type: Any.Type, _ text: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: text))
    }
}

private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RowDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        let own = decoder.row.names.filter { $0.hasPrefix(decoder.prefix) }
            .map { $0.dropFirst(decoder.prefix.count).prefix { $0 != "." } }
        return Set(own).compactMap { Key(stringValue: String($0)) }
    }

    func contains(_ key: Key) -> Bool { !places(of: key).isEmpty }

    func decodeNil(forKey key: Key) throws -> Bool {
        places(of: key).allSatisfy { decoder.row.contents[$0] == .value(.null) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "The rows have no column "
                        + "'\(decoder.prefix)\(key.stringValue)': they have "
                        + decoder.row.names.joined(separator: ", ") + "."))
        }
        let inner = decoder.inside(key)
        guard decoder.row.columns.places[decoder.prefix + key.stringValue] != nil else {
            return try T(from: inner)
        }
        return try inner.singleValueContainer().decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        decoder.inside(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.inside(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }

    func superDecoder(forKey key: Key) -> any Decoder { decoder.inside(key) }

    /// The places of the column with a name, and of those of its members.
    private func places(of key: Key) -> [Int] {
        let name = decoder.prefix + key.stringValue
        if let place = decoder.row.columns.places[name] { return [place] }
        return decoder.row.names.indices.filter { decoder.row.names[$0].hasPrefix(name + ".") }
    }
}

private struct ContentContainer: SingleValueDecodingContainer {
    let decoder: RowDecoder
    let content: FetchedRow.Content
    let name: String
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { content == .value(.null) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard case .value(let value) = content else { return try decodeObject(type) }
        if let found = (type as? any AttributeValue.Type).flatMap({ Self.read(value, as: $0) }) {
            if let found = found as? T { return found }
        }
        if let found = number(value, as: type) { return found }
        // A type of the app's own asks for one of the types above. A fundamental type does not.
        guard !Self.isFundamental(type) else { throw mismatch(type, value) }
        return try T(from: decoder)
    }

    private static func read<V: AttributeValue>(_ value: PropertyValue, as _: V.Type) -> V? {
        V.reading(value)
    }

    /// The value of another type of number, if it has one that is exact.
    private func number<T>(_ value: PropertyValue, as type: T.Type) -> T? {
        switch value {
        case .integer(let number):
            if let type = type as? any FixedWidthInteger.Type {
                return Self.exactly(number, type) as? T
            }
            if type == Double.self { return Double(exactly: number) as? T }
            if type == Float.self { return Float(exactly: number) as? T }
        case .double(let number):
            if type == Float.self { return Float(exactly: number) as? T }
            if let type = type as? any FixedWidthInteger.Type {
                return Int64(exactly: number).flatMap { Self.exactly($0, type) } as? T
            }
        default: break
        }
        return nil
    }

    private static func exactly<N: FixedWidthInteger>(_ number: Int64, _ type: N.Type) -> N? {
        N(exactly: number)
    }

    private static func isFundamental<T>(_ type: T.Type) -> Bool {
        type == String.self || type == Bool.self || type == Date.self || type == Data.self
            || type == UUID.self || type == URL.self || type == Decimal.self
            || type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
    }

    private func decodeObject<T: Decodable>(_ type: T.Type) throws -> T {
        guard case .object(let id) = content else { throw mismatch(type, .null) }
        if type == String.self || type == URL.self {
            let url = id.uriRepresentation
            if let found = url as? T ?? url.absoluteString as? T { return found }
        }
        guard !Self.isFundamental(type) else {
            throw decoder.mismatch(
                type, "The column '\(name)' holds objects; decode their IDs as String or URL.")
        }
        return try T(from: decoder)
    }

    private func mismatch(_ type: Any.Type, _ value: PropertyValue) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "The column '\(name)' is \(value), which is no \(type).")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}
