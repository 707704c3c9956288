import AnabranchSQLite

/// The change sets that the zone is not known to hold.
package struct PendingSaves: Hashable, Sendable {
    package let count: Int
    package let byteCount: Int

    package static let none = PendingSaves(count: 0, byteCount: 0)

    package init(count: Int, byteCount: Int) {
        self.count = count
        self.byteCount = byteCount
    }
}

extension Store {
    /// Counts the change sets that the zone is not known to hold. It reads all of them, so an
    /// exchange asks at its end only; ``SyncState/hasPending`` costs one look into an index.
    package func pendingSaves() throws -> PendingSaves {
        try read { reader in
            let counts = try reader.connection.rows(
                """
                SELECT count(*), coalesce(sum(length(payload)), 0) + coalesce(sum(
                    (SELECT length(bytes) FROM ab_payload_tables WHERE id = tables)), 0)
                FROM ab_changeset
                WHERE \(ChangeLog.isUnplaced)
                """)
            guard case .integer(let count)? = counts.first?.first,
                case .integer(let bytes)? = counts.first?.last
            else { throw StoreError(.corrupt, "Can't count what is pending in \(path).") }
            return PendingSaves(
                count: Int(count),
                byteCount: Int(bytes) + (try PartTable(reader.connection).pendingBytes()))
        }
    }
}
