package import AnabranchReplication

/// The part of a save that changed records which are kept in this store only.
package struct UnsyncedSave: Sendable {
    /// The position in the sequence of the log. A save that changed synced records too is the entry
    /// of the log at this position.
    package let position: Int64
    package let timestamp: HybridTimestamp
    package let author: String
    package let name: String
    /// The changes in the order in which they were written.
    package let changes: [UnsyncedChange]
}
