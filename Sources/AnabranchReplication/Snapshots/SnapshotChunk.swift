/// A part of a zone's merged state at one position of its log, with the heads of its replicas.
///
/// All chunks of a snapshot together are the canonical records, the version vector with the origin
/// of each head, and nothing else: who loads them holds what the log held up to there. Records are
/// in columns, as in a change set, with the stamp of every value beside them; what has no such
/// form, a deleted record that may live again and a property with several values, is a canonical
/// record of its own.
public struct SnapshotChunk: Hashable, Sendable {
    /// The last change set that the log holds of a replica.
    public struct Head: Hashable, Sendable {
        public var dot: Dot
        public var origin: Digest

        public init(dot: Dot, origin: Digest) {
            self.dot = dot
            self.origin = origin
        }
    }

    /// Values of one column, one behind the other, that one save wrote.
    public struct StampRun: Hashable, Sendable {
        public var stamp: Stamp
        public var count: Int

        public init(stamp: Stamp, count: Int) {
            self.stamp = stamp
            self.count = count
        }
    }

    /// Records of one entity of which the same properties were ever written, without their links.
    public struct Rows: Hashable, Sendable {
        public var block: RowBlock
        /// For each column of the block the stamps of its values.
        public var stamps: [[StampRun]]

        public init(block: RowBlock, stamps: [[StampRun]]) {
            self.block = block
            self.stamps = stamps
        }
    }

    /// Links of one relationship.
    public struct Links: Hashable, Sendable {
        public var property: WireProperty
        public var links: [Link]

        public init(property: WireProperty, links: [Link]) {
            self.property = property
            self.links = links
        }
    }

    public struct Link: Hashable, Sendable {
        public var left: RecordID
        public var right: RecordID
        public var tags: LinkTags

        public init(left: RecordID, right: RecordID, tags: LinkTags) {
            self.left = left
            self.right = right
            self.tags = tags
        }
    }

    public var heads: [Head] = []
    public var rows: [Rows] = []
    /// Without their links.
    public var records: [CanonicalRecord] = []
    public var links: [Links] = []

    public init() {}

    /// Of the format.
    static let version: UInt64 = 1
}

/// The numbers of a chunk's blocks in the format.
enum SnapshotBlock {
    static let heads: UInt64 = 1
    static let rows: UInt64 = 2
    static let record: UInt64 = 3
    static let links: UInt64 = 4
}
