import AnabranchReplication

extension ByteReader {
    /// Reads the next field of a record: its number, and a reader of exactly its content.
    ///
    /// - Returns: `nil` at the end of the record.
    mutating func readField() throws(ChangeSetDecodingError) -> (UInt8, ByteReader)? {
        if isAtEnd { return nil }
        let number = try readByte()
        return (number, try readNested())
    }

    /// Reads the whole content as a text.
    func text() throws(ChangeSetDecodingError) -> String {
        var content = self
        let bytes = try content.readRaw(remaining)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure(.malformed, "a text is not UTF-8")
        }
        return text
    }

    /// Reads a flag: a flag that is present is set and has no content.
    func flag() throws(ChangeSetDecodingError) -> Bool {
        try expectEnd()
        return true
    }

    func number() throws(ChangeSetDecodingError) -> Int {
        var content = self
        let number = try content.readSigned()
        try content.expectEnd()
        return Int(number)
    }

    func choice<Choice: RawRepresentable<Int>>(
        _ type: Choice.Type
    ) throws(ChangeSetDecodingError) -> Choice {
        let number = try number()
        guard let choice = Choice(rawValue: number) else {
            throw failure(.unsupportedVersion, "there is no \(type) of number \(number)")
        }
        return choice
    }

    func value() throws(ChangeSetDecodingError) -> Value {
        var content = self
        let value = try content.readTagged()
        try content.expectEnd()
        return value
    }

    func addEntry(to entries: inout [String: String]) throws(ChangeSetDecodingError) {
        var content = self
        let key = try content.readString()
        entries[key] = try content.readString()
        try content.expectEnd()
    }

    /// The error for an unknown field. Skipping the field would read a different model.
    func unknownField(_ number: UInt8) -> ChangeSetDecodingError {
        failure(.unsupportedVersion, "a record has a field of number \(number)")
    }
}
