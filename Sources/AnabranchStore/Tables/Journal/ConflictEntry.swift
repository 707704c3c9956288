public import AnabranchReplication
public import Foundation

/// A value that a merge has discarded and that a person may want to restore.
///
/// It is an entry in the conflict journal of one file. Other replicas have their own entries with
/// other numbers.
public struct ConflictEntry: Sendable, Identifiable {
    /// The situation in which a value was lost.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Kind: Int64, Sendable {
        /// Two replicas wrote one property concurrently, and the property's merge rule kept one
        /// write. Or a save of this file replaced a value that its author had not seen, or that a
        /// view rule had hidden.
        case concurrentWrite = 1
        /// A property was written on a record that had been deleted concurrently.
        case writeToDeleted = 2
        /// A record was deleted by a replica that had not seen a write to it, or by a save of this
        /// file from which a view rule had hidden the value.
        case deletedWhileWritten = 3
        /// A link was lost because one of its ends was deleted by a replica that had not seen the
        /// link, or had not seen another write to that end.
        case linkToDeleted = 4
        /// A value or a link was in this file, but not in the zone's state. A verification has
        /// replaced it by the zone's state.
        case replacedByRepair = 5
        /// A record was deleted by a replica that had not seen a write to it. That replica had seen
        /// this other value of the record, which is kept so that the whole record can be inserted
        /// anew.
        case deletedWithRecord = 6
    }

    /// The author and the time of a write.
    public struct Write: Hashable, Sendable {
        package let stamp: Stamp
        /// The author name that the app gave when it saved. It is empty if the app gave none, or if
        /// the log no longer has the change set.
        public let author: String

        /// The time of the save by the clock of the device that saved.
        public var date: Date { stamp.timestamp.date }

        package init(stamp: Stamp, author: String) {
            self.stamp = stamp
            self.author = author
        }
    }

    /// The entry's number in this file's journal: greater than that of every earlier entry, and
    /// never reused after the entry was purged.
    public let id: Int64
    /// The situation in which the value was lost.
    public let kind: Kind
    /// The record that lost the value; for a link, the record at its left end.
    public let record: RecordID
    /// The entity's wire name; for a link, the entity that declares the relationship.
    public let entity: String
    /// The property that lost the value, with its merge rule.
    package let property: WireProperty
    /// The value that was discarded; for a link, the record at its right end. For a counter write
    /// to a deleted record it is the amount added.
    public let value: PropertyValue
    /// The write that lost.
    public let lost: Write
    /// The write or delete that won; `nil` for a delete that is no longer known.
    public let winner: Write?
    /// The value that was in the place of the discarded value when the conflict was noticed; `nil`
    /// if a delete won.
    public let winningValue: PropertyValue?
    /// The time when this replica noticed the conflict, in milliseconds since 1970-01-01 UTC.
    package let noticedMilliseconds: Int64

    /// The wire name of the property that lost the value.
    public var propertyName: String { property.name.string }

    /// True if the discarded value is a link.
    package var isLink: Bool { Self.isLink(kind, property) }

    static func isLink(_ kind: Kind, _ property: WireProperty) -> Bool {
        kind == .linkToDeleted || property.rule == .set || property.rule == .list
    }

    package init(
        id: Int64, kind: Kind, record: RecordID, entity: String, property: WireProperty,
        value: PropertyValue, lost: Write, winner: Write?, winningValue: PropertyValue?,
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
