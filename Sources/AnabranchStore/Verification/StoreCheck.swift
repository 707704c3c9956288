public import AnabranchReplication

/// What looking a store's file through has found.
public struct StoreCheck: Hashable, Sendable {
    /// What SQLite finds wrong with the file; where anything is, nothing else was looked at.
    public internal(set) var damage: [String] = []
    /// Entries of the log that are not what their digests, or the origins of others, say.
    public internal(set) var logFaults: [String] = []
    /// Records that are not what the log says; `nil` where that can't be told, because the log
    /// does not reach the beginning, or something waits to be repaired.
    public internal(set) var differences: [RecordDifference]?

    /// Whether nothing wrong was found.
    public var isRight: Bool {
        damage.isEmpty && logFaults.isEmpty && differences?.isEmpty ?? true
    }
}
