/// Points of a transaction at which a simulation can end a process, by throwing.
///
/// An error before the commit rolls the transaction back. An error after it reaches the caller
/// although the transaction is durable. After a crash, a caller cannot tell these two outcomes
/// apart.
package struct TransactionFaults: Sendable {
    /// Called before the first statement of a transaction that writes.
    package var beforeFirstWrite: (@Sendable () throws -> Void)?
    /// Called before COMMIT.
    package var beforeCommit: (@Sendable () throws -> Void)?
    /// Called after a successful COMMIT.
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
