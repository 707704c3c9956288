extension CanonicalRecord {
    /// Decodes a record that came from a network or a file.
    ///
    /// - Parameter bytes: Exactly what ``encoded()`` gives.
    /// - Throws: ``ChangeSetDecodingError`` with the offset; nothing is allocated for what is not
    ///   there, no input traps.
    public init(decoding bytes: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        id = try reader.readRecord()
        entity = WireName(try reader.readName())
        switch try reader.readByte() {
        case 0: deleteMark = nil
        case 1: deleteMark = DeleteMark(seen: try reader.readLinkTags().tags)
        default:
            throw reader.failure(.unsupportedVersion, "records of this kind are not known here")
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
            throw reader.failure(.unsupportedVersion, "operations kept with it are not known here")
        }
        try reader.expectEnd()
    }

    /// A property without a name, a stamp, null.
    private static let leastCellBytes = 28
    /// A property without a name, a record, no tag.
    private static let leastLinkBytes = 21
}
