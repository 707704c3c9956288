import AnabranchReplication

/// A text is its bytes in UTF-8.
extension String: FieldContent {
    var content: [UInt8] { Array(utf8) }

    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError) {
        var reader = content
        let bytes = try reader.readRaw(content.remaining)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw content.failure(.malformed, "a text is not UTF-8")
        }
        self = text
    }
}

/// A number is a zigzag number.
extension Int: FieldContent {
    var content: [UInt8] {
        var writer = ByteWriter()
        writer.append(signed: Int64(self))
        return writer.bytes
    }

    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError) {
        var reader = content
        let number = try reader.readSigned()
        try reader.expectEnd()
        self = Int(number)
    }
}

extension PropertyValue: FieldContent {
    var content: [UInt8] {
        var writer = ByteWriter()
        writer.append(tagged: self)
        return writer.bytes
    }

    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError) {
        var reader = content
        let value = try reader.readTagged()
        try reader.expectEnd()
        self = value
    }
}

extension MergeRule: FieldContent {
    var content: [UInt8] { Int(rawValue).content }

    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError) {
        self.init(rawValue: UInt8(truncatingIfNeeded: try Int(content: content, depth: depth)))
    }
}

/// A choice is the number of its case.
extension FieldContent where Self: RawRepresentable<Int> {
    var content: [UInt8] { rawValue.content }

    init(content: ByteReader, depth: Int) throws(ChangeSetDecodingError) {
        let number = try Int(content: content, depth: depth)
        guard let choice = Self(rawValue: number) else {
            throw content.failure(
                .unsupportedVersion, "there is no \(Self.self) of number \(number)")
        }
        self = choice
    }
}

extension AttributeType: FieldContent {}
extension DeletePolicy: FieldContent {}
extension DeleteRule: FieldContent {}
