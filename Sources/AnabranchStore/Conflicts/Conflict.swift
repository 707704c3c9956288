public import AnabranchReplication

/// What a merge has discarded: one value that a person may want back.
///
/// An entry of the conflict journal of one file. Other replicas have entries of their own, under
/// other numbers.
public struct Conflict: Sendable, Identifiable {
    public enum Kind: Int64, Sendable {
        /// Two replicas wrote one property concurrently; the property's rule let one write stay.
        case concurrentWrite = 1
        /// A property of a record was written that had been deleted concurrently.
        case writeToDeleted = 2
        /// A record was deleted by one who did not know what had been written to it.
        case deletedWhileWritten = 3
        /// A link led to or from a record that had been deleted concurrently.
        case linkToDeleted = 4
        /// A value or a link stood in this file and not in the zone's state: a verification has
        /// put the zone's in its place.
        case replacedByRepair = 5
    }

    /// Who made a write, and when.
    public struct Write: Sendable {
        public let stamp: Stamp
        /// As the app named it when it saved; empty where it did not, or where the log no longer
        /// tells.
        public let author: String

        package init(stamp: Stamp, author: String) {
            self.stamp = stamp
            self.author = author
        }
    }

    /// The entry's number in this file's journal: greater than that of every earlier one, and
    /// never given again once the entry was purged.
    public let id: Int64
    public let kind: Kind
    /// Whose property lost a value; of a link, the record at its left end.
    public let record: RecordID
    /// By its wire name; of a link, the one that declares the relationship.
    public let entity: String
    public let property: WireProperty
    /// What was discarded; of a link, the record at its right end. Of a counter's write to a
    /// deleted record, what it added.
    public let value: Value
    public let lost: Write
    /// What it lost against; `nil` where that was a delete that is no longer known.
    public let winner: Write?
    /// What stood in the place of the lost value when the conflict was noticed; `nil` where it
    /// lost against a delete.
    public let winningValue: Value?
    /// When this replica noticed, since 1970-01-01 UTC.
    public let noticedMilliseconds: Int64

    /// Whether it is a link that was discarded.
    package var isLink: Bool { Self.isLink(kind, property) }

    static func isLink(_ kind: Kind, _ property: WireProperty) -> Bool {
        kind == .linkToDeleted || property.rule == .set || property.rule == .list
    }

    package init(
        id: Int64, kind: Kind, record: RecordID, entity: String, property: WireProperty,
        value: Value, lost: Write, winner: Write?, winningValue: Value?,
        noticedMilliseconds: Int64
    ) {
        self.id = id
        self.kind = kind
        self.record = record
        self.entity = entity
        self.property = property
        self.value = value
        self.lost = lost
        self.winner = winner
        self.winningValue = winningValue
        self.noticedMilliseconds = noticedMilliseconds
    }
}
