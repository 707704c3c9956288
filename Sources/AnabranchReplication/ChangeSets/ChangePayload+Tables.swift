extension ChangePayload {
    /// The number of bytes of a payload before its first block: its version and its tables.
    ///
    /// Payloads of the same shape by one author mostly begin with the same bytes.
    ///
    /// - Returns: `nil` if the payload is of another version, or malformed.
    package static func byteCountOfTables(in payload: [UInt8]) -> Int? {
        var reader = ByteReader(payload)
        do throws(ChangeSetDecodingError) {
            guard try reader.readVarint() == version else { return nil }
            for _ in 0..<(try reader.readCount(ofAtLeast: ReplicaID.byteCount)) {
                _ = try reader.readReplica()
            }
            for _ in 0..<(try reader.readQuantity()) { _ = try reader.readNested() }
            for _ in 0..<(try reader.readQuantity()) {
                _ = try reader.readNested()
                _ = try reader.readByte()
                _ = try reader.readByte()
            }
            return reader.offset
        } catch {
            return nil
        }
    }
}
