public import AnabranchReplication

/// What a merge has discarded: one value that a person may want back.
public struct Conflict: Sendable {
    public enum Kind: Int64, Sendable {
        /// Two replicas wrote one property concurrently; the greater stamp stayed.
        case concurrentWrite = 1
        /// A property of a record was written that had been deleted concurrently.
        case writeToDeleted = 2
        /// A record was deleted by one who did not know what had been written to it.
        case deletedWhileWritten = 3
        /// A link led to or from a record that had been deleted concurrently.
        case linkToDeleted = 4
    }

    /// Who made a write, and when.
    public struct Write: Sendable {
        public let stamp: Stamp
        /// As the app named it when it saved; empty where it did not, or where the log no longer
        /// tells.
        public let author: String
    }

    public let kind: Kind
    public let record: RecordID
    public let entity: String
    public let property: WireProperty
    /// What was discarded.
    public let value: Value
    public let lost: Write
    /// What it lost against; `nil` where that was a delete that is no longer known.
    public let winner: Write?
    /// When this replica noticed, since 1970-01-01 UTC.
    public let noticedMilliseconds: Int64
}
