/// Where a simulation may let a process die within a transaction, by throwing.
///
/// What is thrown before the commit rolls the transaction back; what is thrown after it reaches
/// the caller although the transaction is durable: the two outcomes of a crash that a caller
/// cannot tell apart.
package struct TransactionFaults {
    /// Right before the first statement of a transaction that writes.
    package var beforeFirstWrite: (() throws -> Void)?
    /// Right before COMMIT.
    package var beforeCommit: (() throws -> Void)?
    /// Right after a COMMIT that succeeded.
    package var afterCommit: (() throws -> Void)?

    package init(
        beforeFirstWrite: (() throws -> Void)? = nil, beforeCommit: (() throws -> Void)? = nil,
        afterCommit: (() throws -> Void)? = nil
    ) {
        self.beforeFirstWrite = beforeFirstWrite
        self.beforeCommit = beforeCommit
        self.afterCommit = afterCommit
    }
}
