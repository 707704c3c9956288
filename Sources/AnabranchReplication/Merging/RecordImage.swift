/// The whole state of one record in a zone. A repair replaces the record in a store by it.
package struct RecordImage: Hashable, Sendable {
    /// A link that has the record as its right end.
    package struct IncomingLink: Hashable, Sendable {
        /// The record at the left end.
        package var left: RecordID
        /// The relationship of the left end.
        package var property: WireProperty
        package var tags: LinkTags

        package init(left: RecordID, property: WireProperty, tags: LinkTags) {
            self.left = left
            self.property = property
            self.tags = tags
        }
    }

    package var id: RecordID
    /// The record with its own links, or `nil` if the zone does not hold the record.
    package var record: CanonicalRecord?
    /// The links that point to the record.
    package var incoming: [IncomingLink]

    package init(id: RecordID, record: CanonicalRecord? = nil, incoming: [IncomingLink] = []) {
        self.id = id
        self.record = record
        self.incoming = incoming
    }
}

extension ByteWriter {
    /// Appends the identity and a flag; if the flag is 1, the record and the links that point to
    /// it.
    package mutating func append(image: RecordImage) {
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
    /// Reads an image that `append(image:)` wrote.
    ///
    /// - Throws: ``ChangeSetDecodingError`` if the bytes are malformed, or the record has another
    ///   identity than the image.
    package mutating func readImage() throws(ChangeSetDecodingError) -> RecordImage {
        var image = RecordImage(id: try readRecord())
        guard try readFlag() else { return image }
        let record = try CanonicalRecord(decoding: try readBlock())
        guard record.id == image.id else {
            throw failure(
                .malformed, "the image of record \(image.id) contains record \(record.id)")
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
