import Synchronization

/// A Server-Sent Events answer that is written as events come.
///
/// It holds at most one event that has not been taken: a newer one takes its place, so a client
/// that reads slowly costs no memory and then sees the newest (pitfall of unbounded buffers).
public final class EventStream: Sendable {
    public enum Taken: Sendable {
        case bytes(Int)
        case nothing
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

    /// - Parameter onEnd: Called once when the connection has ended.
    public init(onEnd: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(onEnd: onEnd))
    }

    /// Sends an event in place of one that waits.
    public func post(_ event: [UInt8]) { change { $0.waiting = event } }

    /// Sends an event unless one waits, which is newer.
    public func postFirst(_ event: [UInt8]) {
        change { state in
            if state.waiting == nil { state.waiting = event }
        }
    }

    /// Sends a comment where nothing else waits, so that both ends see that the other is there.
    public func postHeartbeat() {
        change { state in
            if state.waiting == nil, state.current.isEmpty { state.waiting = Self.heartbeat }
        }
    }

    /// Ends the stream behind what waits.
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

    // MARK: For the server

    /// - Parameter wake: Makes the server ask again. Called under the stream's lock.
    func attach(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// The connection is gone: nothing is woken any more.
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

    /// Moves what there is into `buffer`.
    ///
    /// - Parameter park: Called where there is nothing, before anything can come.
    func take(into buffer: UnsafeMutableRawBufferPointer, park: () -> Void) -> Taken {
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
