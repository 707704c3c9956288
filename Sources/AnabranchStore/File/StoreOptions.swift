/// How a store file is opened.
public struct StoreOptions: Sendable {
    public enum Durability: Sendable {
        /// A save survives the end of the process; the last ones may not survive a power failure.
        case normal
        /// A save is on the disk when it returns.
        case full
    }

    public var durability: Durability = .normal
    /// Connections that read at the same time.
    public var readerCount = 4
    /// How long to wait for another process that writes.
    public var busyTimeout: Duration = .seconds(5)
    public var isReadOnly = false
    /// How long a context stays pinned to one state of the store (a query generation). SQLite
    /// can't shorten its log while a state is kept.
    public var generationLifetime: Duration = .seconds(600)
    /// What the conflict journal keeps; everything, unless it is told otherwise.
    public var conflictRetention = ConflictRetention.everything

    public init() {}
}
