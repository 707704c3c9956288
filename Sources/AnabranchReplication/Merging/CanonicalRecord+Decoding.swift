extension CanonicalRecord {
    /// Decodes a record that came from the network or a file.
    ///
    /// Every length is checked before anything is allocated; no input can trap.
    ///
    /// - Parameter bytes: Exactly the bytes of ``encoded()``.
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read.
    package init(decoding bytes: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        id = try reader.readRecord()
        entity = WireName(try reader.readName())
        switch try reader.readByte() {
        case 0: deleteMark = nil
        case 1: deleteMark = DeleteMark(seen: try reader.readLinkTags().tags)
        default:
            throw reader.failure(
                .unsupportedVersion, "this version does not know this kind of record")
        }
        cells = []
        for _ in 0..<(try reader.readCount(ofAtLeast: Self.leastCellBytes)) {
            let property = try reader.readProperty()
            let stamp = try reader.readStamp()
            cells.append(Cell(property: property, value: try reader.readTagged(), stamp: stamp))
        }
        links = []
        for _ in 0..<(try reader.readCount(ofAtLeast: Self.leastLinkBytes)) {
            let property = try reader.readProperty()
            let right = try reader.readRecord()
            links.append(
                Link(property: property, right: right, tags: try reader.readLinkTags(of: property)))
        }
        guard try reader.readCount() == 0 else {
            throw reader.failure(
                .unsupportedVersion,
                "this version does not know the operations kept with the record")
        }
        try reader.expectEnd()
    }

    /// The length of the shortest cell: a property without a name, a stamp and null.
    private static let leastCellBytes = 28
    /// The length of the shortest link in bytes: a property with an empty name, a record, and a
    /// count of zero tags.
    private static let leastLinkBytes = 21
}
