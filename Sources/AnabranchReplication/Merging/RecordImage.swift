/// One record as a zone has it, whole: what a repair puts in the place of what a store has.
public struct RecordImage: Hashable, Sendable {
    /// A link of which the record is the right end.
    public struct IncomingLink: Hashable, Sendable {
        public var left: RecordID
        public var property: WireProperty
        public var tags: LinkTags

        public init(left: RecordID, property: WireProperty, tags: LinkTags) {
            self.left = left
            self.property = property
            self.tags = tags
        }
    }

    public var id: RecordID
    /// `nil` where the zone does not hold the record.
    public var record: CanonicalRecord?
    public var incoming: [IncomingLink]

    public init(
        id: RecordID, record: CanonicalRecord? = nil, incoming: [IncomingLink] = []
    ) {
        self.id = id
        self.record = record
        self.incoming = incoming
    }
}

extension ByteWriter {
    /// The identity, a flag for the record, then it and the links that lead to it.
    public mutating func append(image: RecordImage) {
        append(record: image.id)
        append(byte: image.record == nil ? 0 : 1)
        guard let record = image.record else { return }
        append(block: record.written())
        append(count: image.incoming.count)
        for link in image.incoming {
            append(record: link.left)
            append(property: link.property)
            append(link.tags, of: link.property)
        }
    }
}

extension ByteReader {
    public mutating func readImage() throws(ChangeSetDecodingError) -> RecordImage {
        var image = RecordImage(id: try readRecord())
        guard try readFlag() else { return image }
        let record = try CanonicalRecord(decoding: try readBlock())
        guard record.id == image.id else {
            throw failure(.malformed, "the image of \(image.id) is that of \(record.id)")
        }
        image.record = record
        for _ in 0..<(try readCount(ofAtLeast: 21)) {
            let left = try readRecord()
            let property = try readProperty()
            image.incoming.append(
                .init(left: left, property: property, tags: try readLinkTags(of: property)))
        }
        return image
    }
}
