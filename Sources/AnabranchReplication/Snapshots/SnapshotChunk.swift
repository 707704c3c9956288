/// A part of a zone's merged state at one position of its log, with the heads of its replicas.
///
/// All chunks of a snapshot together contain the canonical records and the version vector with the
/// origin of each head. A replica that loads them holds what the log held up to that position.
/// Records are in columns, as in a change set, beside the stamp of every value. Records with a
/// delete mark or with several values of a property have no such form: each is a canonical record
/// of its own.
public struct SnapshotChunk: Hashable, Sendable {
    /// The last change set of one replica that the log holds.
    public struct Head: Hashable, Sendable {
        /// The name of the change set.
        public var dot: Dot
        /// The origin of the change set.
        public var origin: Digest

        /// Creates the head of a replica.
        public init(dot: Dot, origin: Digest) {
            self.dot = dot
            self.origin = origin
        }
    }

    /// Consecutive values of one column that one save wrote.
    public struct StampRun: Hashable, Sendable {
        /// The stamp of the save.
        public var stamp: Stamp
        /// The number of values, at least one.
        public var count: Int

        /// Creates a run of values.
        public init(stamp: Stamp, count: Int) {
            self.stamp = stamp
            self.count = count
        }
    }

    /// Records of one entity in which the same properties were ever written, without their links.
    public struct Rows: Hashable, Sendable {
        /// The records and their values.
        public var block: RowBlock
        /// The stamps of the values, for each column of the block.
        public var stamps: [[StampRun]]
    }

    /// Links of one relationship.
    public struct Links: Hashable, Sendable {
        /// The relationship.
        public var property: WireProperty
        /// The links, each with its tags.
        public var links: [Link]

        /// Creates a block of links.
        public init(property: WireProperty, links: [Link]) {
            self.property = property
            self.links = links
        }
    }

    /// One link between two records.
    public struct Link: Hashable, Sendable {
        /// The record at the left end.
        public var left: RecordID
        /// The record at the right end.
        public var right: RecordID
        /// The tags of the link.
        public var tags: LinkTags

        /// Creates a link.
        public init(left: RecordID, right: RecordID, tags: LinkTags) {
            self.left = left
            self.right = right
            self.tags = tags
        }
    }

    /// The last change sets of replicas.
    public var heads: [Head] = []
    /// Records in columns.
    public var rows: [Rows] = []
    /// Records that have no form in columns, without their links.
    public var records: [CanonicalRecord] = []
    /// Links of the records of this chunk or of earlier chunks.
    public var links: [Links] = []

    /// Creates an empty chunk.
    public init() {}

    /// The version of the format.
    static let version: UInt64 = 1
}

/// The numbers that stand for a chunk's blocks in the format.
enum SnapshotBlock {
    static let heads: UInt64 = 1
    static let rows: UInt64 = 2
    static let record: UInt64 = 3
    static let links: UInt64 = 4
}
