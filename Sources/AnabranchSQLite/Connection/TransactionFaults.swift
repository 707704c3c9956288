/// Where a simulation may let a process die within a transaction, by throwing.
///
/// What is thrown before the commit rolls the transaction back; what is thrown after it reaches
/// the caller although the transaction is durable: the two outcomes of a crash that a caller
/// cannot tell apart.
package struct TransactionFaults: Sendable {
    /// Right before the first statement of a transaction that writes.
    package var beforeFirstWrite: (@Sendable () throws -> Void)?
    /// Right before COMMIT.
    package var beforeCommit: (@Sendable () throws -> Void)?
    /// Right after a COMMIT that succeeded.
    package var afterCommit: (@Sendable () throws -> Void)?

    package init(
        beforeFirstWrite: (@Sendable () throws -> Void)? = nil,
        beforeCommit: (@Sendable () throws -> Void)? = nil,
        afterCommit: (@Sendable () throws -> Void)? = nil
    ) {
        self.beforeFirstWrite = beforeFirstWrite
        self.beforeCommit = beforeCommit
        self.afterCommit = afterCommit
    }
}
