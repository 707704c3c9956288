import Synchronization

/// The errors of calls that can't throw, as the coordinator has them.
///
/// Those of objects that have outlived their context are kept, because no save is left that could
/// throw them.
final class LostErrors: Sendable {
    private let kept = Mutex(DeferredErrors())
    /// For the readers of the errors of all contexts.
    let listeners = EventStreams<any Error>()

    var errors: [any Error] { kept.withLock { $0.errors } }

    func removeAll() { kept.withLock { $0.removeAll() } }

    func keep(_ error: any Error) {
        kept.withLock { $0.keep(error) }
        listeners.yield(error)
    }
}

extension PersistentStoreCoordinator {
    /// Errors of calls that can't throw, of objects that have outlived their context: at most the
    /// first 100, in the order in which they were met.
    ///
    /// Setting a property of such an object leaves the property unchanged and adds an error here.
    /// An object of a context that was reset reports to that context instead, see
    /// ``ManagedObjectContext/pendingErrors``. No save throws these errors.
    public var pendingErrors: [any Error] { lostErrors.errors }

    /// Removes the pending errors.
    public func clearPendingErrors() { lostErrors.removeAll() }

    /// The errors of calls that can't throw, of all contexts and of objects that have outlived
    /// theirs, from now on.
    ///
    /// The sequence ends with the coordinator. It keeps the newest 1,024 errors for a slow reader.
    public func accessErrors() -> AsyncStream<any Error> { lostErrors.listeners.stream() }
}
