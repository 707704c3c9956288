/// A process as its disk sees it, which may die between any two operations.
///
/// After its death every operation fails and changes nothing. Like its disk it is used by one
/// thread at a time.
package final class SimulatedProcess: @unchecked Sendable {
    package private(set) var isDead = false
    private var operationsLeft: Int?
    private var operationsUntilFailure: Int?
    /// The number of operations that have changed the disk.
    package private(set) var operationCount = 0
    /// Called before a connection of the process acquires a lock to read.
    package var willRead: (() -> Void)?

    /// Lets the process die at a later operation that changes the disk; `nil` cancels that.
    ///
    /// - Parameter operations: The number of operations that succeed before.
    package func dieAfter(_ operations: Int?) { operationsLeft = operations }

    package func die() { isDead = true }

    /// Lets one later operation that changes the disk fail, as on a disk that is full.
    ///
    /// - Parameter operations: The number of operations that succeed before.
    package func failAfter(_ operations: Int) { operationsUntilFailure = operations }

    enum Outcome { case done, torn, dead }

    /// Counts an operation that changes the disk. The operation at which the process dies may be
    /// done in part.
    func operate() -> Outcome {
        guard !isDead else { return .dead }
        operationCount += 1
        if let left = operationsUntilFailure {
            operationsUntilFailure = left == 0 ? nil : left - 1
            if left == 0 { return .dead }
        }
        guard let left = operationsLeft else { return .done }
        guard left == 0 else {
            operationsLeft = left - 1
            return .done
        }
        operationsLeft = nil
        isDead = true
        return .torn
    }
}
