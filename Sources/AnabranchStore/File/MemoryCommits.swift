import Synchronization

/// Reports the commits to stores in memory, which no file system reports.
///
/// All openings of such a store are in this process.
final class MemoryCommits: Sendable {
    static let shared = MemoryCommits()

    private struct Listener: Sendable {
        let store: StoreIdentity
        let tell: @Sendable () -> Void
    }

    private struct State: Sendable {
        var next = 0
        /// By the name of the store and the number of the listener.
        var listeners: [String: [Int: Listener]] = [:]
    }

    private let state = Mutex(State())

    /// Adds code that is called after each commit of other openings than the given one, on the
    /// thread of the commit.
    ///
    /// - Returns: The number by which it is removed.
    func add(_ path: String, of store: StoreIdentity, _ tell: @escaping @Sendable () -> Void) -> Int
    {
        state.withLock { state in
            state.next += 1
            state.listeners[path, default: [:]][state.next] = Listener(store: store, tell: tell)
            return state.next
        }
    }

    func remove(_ number: Int, _ path: String) {
        state.withLock { state in
            state.listeners[path]?[number] = nil
            if state.listeners[path]?.isEmpty ?? false { state.listeners[path] = nil }
        }
    }

    func tell(_ path: String, except store: StoreIdentity) {
        let listeners = state.withLock { $0.listeners[path].map { Array($0.values) } ?? [] }
        for listener in listeners where listener.store != store { listener.tell() }
    }
}
