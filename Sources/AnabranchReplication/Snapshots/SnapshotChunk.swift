/// A part of a zone's merged state at one position of its log, with the heads of its replicas.
///
/// All chunks of a snapshot together contain the canonical records and the version vector with the
/// origin of each head. A replica that loads them holds what the log held up to that position.
/// Records are in columns, as in a change set, beside the stamp of every value. Records with a
/// delete mark or with several values of a property have no such form: each is a canonical record
/// of its own.
package struct SnapshotChunk: Hashable, Sendable {
    /// The last change set of one replica that the log holds.
    package struct Head: Hashable, Sendable {
        /// The name of the change set.
        package var dot: Dot
        /// The origin of the change set.
        package var origin: Digest

        package init(dot: Dot, origin: Digest) {
            self.dot = dot
            self.origin = origin
        }
    }

    /// Consecutive values of one column that one save wrote.
    package struct StampRun: Hashable, Sendable {
        /// The stamp of the save.
        package var stamp: Stamp
        /// The number of values, at least one.
        package var count: Int
    }

    /// Records of one entity in which the same properties were ever written, without their links.
    package struct Rows: Hashable, Sendable {
        /// The records and their values.
        package var block: RowBlock
        /// The stamps of the values, for each column of the block.
        package var stamps: [[StampRun]]
    }

    /// Links of one relationship.
    package struct Links: Hashable, Sendable {
        package var property: WireProperty
        /// The links, each with its tags.
        package var links: [Link]
    }

    /// One link between two records.
    package struct Link: Hashable, Sendable {
        /// The record at the left end.
        package var left: RecordID
        /// The record at the right end.
        package var right: RecordID
        package var tags: LinkTags

        package init(left: RecordID, right: RecordID, tags: LinkTags) {
            self.left = left
            self.right = right
            self.tags = tags
        }
    }

    /// The last change sets of replicas.
    package var heads: [Head] = []
    /// Records in columns.
    package var rows: [Rows] = []
    /// Records that have no form in columns, without their links.
    package var records: [CanonicalRecord] = []
    /// Links of the records of this chunk or of earlier chunks.
    package var links: [Links] = []

    package init() {}

    static let version: UInt64 = 1
}

/// The numbers that stand for a chunk's blocks in the format.
enum SnapshotBlock {
    static let heads: UInt64 = 1
    static let rows: UInt64 = 2
    static let record: UInt64 = 3
    static let links: UInt64 = 4
}
