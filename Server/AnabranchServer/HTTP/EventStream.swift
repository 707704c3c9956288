import Synchronization

/// A response with Server-Sent Events, written as the events are posted.
///
/// It holds at most one event that the connection has not sent, and a newer event replaces it. A
/// client that reads slowly therefore costs no memory, and it gets the newest event.
public final class EventStream: Sendable {
    /// The result of reading from the stream.
    ///
    /// It is closed: only a new major version adds a case.
    public enum ReadResult: Sendable {
        /// This number of bytes was written into the buffer.
        case bytes(Int)
        /// There is nothing to send now.
        case nothing
        /// The stream has ended.
        case end
    }

    private struct State {
        var waiting: [UInt8]?
        var current: ArraySlice<UInt8> = []
        var isClosed = false
        var isParked = false
        var wake: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// Creates a stream.
    ///
    /// - Parameter onEnd: Called once when the connection has ended.
    public init(onEnd: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(onEnd: onEnd))
    }

    /// Sends an event; it replaces an event that waits.
    public func post(_ event: [UInt8]) { change { $0.waiting = event } }

    /// Sends an event unless one waits already, which is newer.
    public func postFirst(_ event: [UInt8]) {
        change { state in
            if state.waiting == nil { state.waiting = event }
        }
    }

    /// Sends a comment if nothing else waits, so that both ends notice a lost connection.
    public func postHeartbeat() {
        change { state in
            if state.waiting == nil, state.current.isEmpty { state.waiting = Self.heartbeat }
        }
    }

    /// Ends the stream after the event that waits.
    public func close() { change { $0.isClosed = true } }

    private static let heartbeat = Array(":\n\n".utf8)

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            guard state.isParked else { return }
            state.isParked = false
            state.wake?()
        }
    }

    // MARK: Used by the server

    /// Sets the action that resumes a suspended connection.
    ///
    /// - Parameter wake: Makes the server read from the stream again. Called under the stream's
    ///   lock.
    func attach(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Ends the stream because its connection is closed; no later event resumes it.
    func detach() {
        let onEnd = state.withLock { state in
            state.wake = nil
            state.isParked = false
            state.isClosed = true
            defer { state.onEnd = nil }
            return state.onEnd
        }
        onEnd?()
    }

    /// Copies pending bytes into `buffer`.
    ///
    /// - Parameter park: Suspends the connection if there are no bytes. Called under the lock, so
    ///   no event can arrive in between.
    func take(into buffer: UnsafeMutableRawBufferPointer, park: () -> Void) -> ReadResult {
        state.withLock { state in
            if state.current.isEmpty, let next = state.waiting {
                state.current = next[...]
                state.waiting = nil
            }
            guard state.current.isEmpty else {
                let count = min(buffer.count, state.current.count)
                buffer.copyBytes(from: state.current.prefix(count))
                state.current.removeFirst(count)
                return .bytes(count)
            }
            if state.isClosed { return .end }
            state.isParked = true
            park()
            return .nothing
        }
    }
}
