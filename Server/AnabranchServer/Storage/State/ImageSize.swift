import AnabranchReplication

/// The size of a record's image as it is stored.
package struct ImageSize: Hashable, Sendable {
    /// The bytes of the record's values and its delete mark.
    package var valueBytes = 0
    /// The number of links from and to the record.
    package var linkCount = 0
    /// The bytes of the tags of these links.
    package var tagBytes = 0
    /// The bytes of the names of the links' properties. Each link is written with its name.
    package var nameBytes = 0

    /// The approximate memory of a link in an image and in the answer that has it.
    static let bytesPerLink = 256
    /// The approximate memory of a record without values and links.
    private static let leastBytes = 512

    static func + (left: ImageSize, right: ImageSize) -> ImageSize {
        ImageSize(
            valueBytes: left.valueBytes + right.valueBytes,
            linkCount: left.linkCount + right.linkCount,
            tagBytes: left.tagBytes + right.tagBytes, nameBytes: left.nameBytes + right.nameBytes)
    }

    /// The approximate memory of the image and of the answer that has it.
    var memoryBytes: Int {
        Self.leastBytes + 3 * valueBytes + linkMemoryBytes
    }

    /// The part of ``memoryBytes`` for the links.
    var linkMemoryBytes: Int { Self.bytesPerLink * linkCount + 4 * tagBytes + 3 * nameBytes }

    /// Counts the names of a record's values, each of which is written too.
    mutating func addNames(of record: CanonicalRecord) {
        valueBytes += record.cells.reduce(0) { $0 + $1.property.name.string.utf8.count }
    }
}
