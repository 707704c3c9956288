import Foundation
import Synchronization

/// The errors of calls that can't throw, of objects that have outlived their context.
///
/// No save is left that could throw them. They are kept for the coordinator, and reported by the
/// same notification as those of a context.
final class LostErrors: Sendable {
    private let kept = Mutex(DeferredErrors())

    var errors: [any Error] { kept.withLock { $0.errors } }

    func removeAll() { kept.withLock { $0.removeAll() } }

    /// - Parameter queue: The queue of the context that is gone. The report comes later, on it:
    ///   code of the app must not run in the middle of an access.
    func keep(_ error: any Error, reportingOn queue: ContextQueue) {
        guard kept.withLock({ $0.keep(error) }) else { return }
        queue.dispatchQueue.async { self.report() }
    }

    private func report() {
        let errors = kept.withLock { $0.takeUnreported() }
        guard !errors.isEmpty else { return }
        NotificationCenter.default.post(
            name: ManagedObjectContext.accessDidFail, object: nil,
            userInfo: [Notification.accessErrorsKey: errors])
    }
}

extension PersistentStoreCoordinator {
    /// Errors of calls that can't throw, of objects that have outlived their context: at most the
    /// first 100, in the order in which they were met.
    ///
    /// Setting a property of such an object leaves the property unchanged and adds an error here.
    /// An object of a context that was reset reports to that context instead, see
    /// ``ManagedObjectContext/pendingErrors``. No save throws these errors, and
    /// ``ManagedObjectContext/accessDidFail`` reports them without an object.
    public var pendingErrors: [any Error] { lostErrors.errors }

    /// Removes the pending errors.
    public func clearPendingErrors() { lostErrors.removeAll() }
}
