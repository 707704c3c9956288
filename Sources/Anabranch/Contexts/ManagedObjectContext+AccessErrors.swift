// A property's accessor, a live view of a relationship and a few other calls can't throw. An error
// that one of them meets is kept: `pendingErrors` lists it and the next save throws it, so that no
// save writes what is incomplete. A context that only reads learns of the error from
// `accessErrors()`; the coordinator's sequence of that name has the errors of all contexts.
extension ManagedObjectContext {
    /// Errors of calls that can't throw, which the next save will throw: at most the first 100,
    /// in the order in which they were met.
    ///
    /// A save that throws some of them removes those. ``rollback()`` and ``reset()`` remove all.
    /// A change of an object that the context has forgotten, by a reset for example, is refused
    /// and adds an error here.
    public var pendingErrors: [any Error] {
        checkQueue()
        return keptErrors.errors
    }

    /// Removes the pending errors, so that the next save does not throw them.
    ///
    /// The effects of the failed calls stay missing. A property has its former value if its new
    /// value was refused, and a relationship that could not be read was shown as empty.
    public func clearPendingErrors() {
        checkQueue()
        keptErrors.removeAll()
    }

    /// The errors of calls that can't throw, from now on.
    ///
    /// The sequence ends with the context. It keeps the newest 1,024 errors for a slow reader.
    public func accessErrors() -> AsyncStream<any Error> { errorListeners.stream() }

    /// Keeps an error of an accessor that can't throw, for the next save, and reports it.
    func keep(_ error: any Error) {
        keptErrors.keep(error)
        report(error)
    }

    /// Reports an error of an accessor that leaves nothing incomplete, so that no save throws it.
    func report(_ error: any Error) {
        errorListeners.yield(error)
        link.report(error)
    }
}
