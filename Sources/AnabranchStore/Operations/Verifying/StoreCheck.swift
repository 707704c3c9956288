package import AnabranchReplication

/// The result of checking a store's file.
public struct StoreCheck: Hashable, Sendable {
    /// The damage that SQLite finds in the file. If there is any, nothing else was checked.
    public internal(set) var damage: [String] = []
    /// Entries of the log that do not match their digests, or the origins that other entries name.
    public internal(set) var logFaults: [String] = []
    /// Records that differ from the log. It is `nil` if that cannot be determined, because the log
    /// does not reach back to the beginning or records wait for repair.
    package internal(set) var differences: [RecordDifference]?

    /// True if the check found no problem.
    public var isValid: Bool {
        damage.isEmpty && logFaults.isEmpty && differences?.isEmpty ?? true
    }
}
