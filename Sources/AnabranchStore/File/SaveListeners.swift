import Synchronization

/// Code that wants to know of each save that this process writes to a store.
package final class SaveListeners: Sendable {
    private struct State: Sendable {
        var next = 0
        var listeners: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Adds code that is called after each save, on the saving thread.
    ///
    /// - Returns: The number by which it is removed.
    package func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    package func remove(_ number: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }

    func tell() {
        let listeners = state.withLock { $0.listeners.isEmpty ? [] : Array($0.listeners.values) }
        for listener in listeners { listener() }
    }
}
