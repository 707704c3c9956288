import AnabranchReplication

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
        try write { transaction in
            try transaction.renewIdentityIfNeeded()
            return try transaction.reserveNumbers(count)
        }
    }

    /// Makes the next reservation or save use a new replica ID, because this file was copied or
    /// restored.
    package func renewIdentity() throws {
        guard !environment.disabled.contains(.identityRenewal) else { return }
        try write { $0.state.isRenewing = true }
    }
}
