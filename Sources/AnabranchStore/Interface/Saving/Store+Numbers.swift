import AnabranchReplication
import Synchronization

extension Store {
    /// Reserves numbers for records that are inserted later.
    ///
    /// The reservation is committed before this returns, so neither a crash nor a second process
    /// assigns a number twice (invariant 2). Numbers that are not used leave gaps, which are
    /// normal.
    ///
    /// - Returns: Consecutive local IDs under the file's present replica ID.
    /// - Throws: `exhausted` if the replica has no numbers left.
    package func reserveNumbers(_ count: Int) throws -> ClosedRange<LocalID> {
        if options.isReadOnly, pendingStage == nil { return try provisionalNumbers(count) }
        return try write { transaction in
            try transaction.renewIdentityIfNeeded()
            return try transaction.reserveNumbers(count)
        }
    }

    /// Numbers for records that are inserted in memory and can't be saved, because the file can't
    /// be written. They come from the end of all numbers, so that no record of the file has them.
    private func provisionalNumbers(_ count: Int) throws -> ClosedRange<LocalID> {
        let ordinal = try read { try StoreState.read($0.connection).ordinal }
        let used = UInt64(max(count, 1))
        let last = provisionalCount.withLock { total in
            defer { total = min(total + used, Limits.greatestRecordNumber / 2) }
            return Limits.greatestRecordNumber - total
        }
        return LocalID(
            ordinal: ordinal, number: last - used + 1)...LocalID(
                ordinal: ordinal, number: last)
    }

    /// Makes the next reservation or save use a new replica ID, because this file was copied or
    /// restored.
    package func renewIdentity() throws {
        guard Mechanism.identityRenewal.isOn else { return }
        try write { $0.state.isRenewing = true }
    }
}
