import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Synchronization

/// Pokes those who listen when a zone's log grows.
///
/// A stream holds the newest head and nothing older: who reads slowly misses heads, never the
/// newest. Pokes are hints; what a client holds it learns by pulling.
package final class EventHub: Sendable {
    private struct State {
        var streams: [ObjectIdentifier: EventStream] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// - Parameter heartbeat: Between two signs of life on a stream where nothing happens.
    package init(heartbeat: Duration) {
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        let seconds = max(heartbeat / .seconds(1), 0.01)
        timer.schedule(deadline: .now() + seconds, repeating: seconds)
        timer.setEventHandler { [weak self] in self?.beat() }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// A stream that begins with the zone's present head.
    ///
    /// The zone stays open as long as the stream.
    func response(
        for name: ZoneName, of zones: OpenZones
    ) throws(ProtocolError) -> HTTPResponse {
        let zone = try zones.retain(name)
        let end = StreamEnd()
        let stream = EventStream { end.run() }
        let identity = ObjectIdentifier(stream)
        let number = zone.addObserver { [weak stream] in stream?.post(Self.event($0)) }
        end.set { [weak self] in
            zone.removeObserver(number)
            zones.release(name)
            self?.state.withLock { $0.streams[identity] = nil }
        }
        // Asked for behind the registration, so that no push falls between the two.
        do throws(ProtocolError) {
            stream.postFirst(Self.event(try zone.head()))
        } catch {
            end.run()
            throw error
        }
        let isClosed = state.withLock { state in
            state.streams[identity] = stream
            return state.isClosed
        }
        if isClosed { stream.close() }
        return HTTPResponse(
            status: 200,
            headers: HTTPHeaders([
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
                ("X-Accel-Buffering", "no"),
            ]), body: .events(stream))
    }

    /// Streams that are open.
    package var count: Int { state.withLock { $0.streams.count } }

    package func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.close() }
    }

    private func beat() {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.postHeartbeat() }
    }

    static func event(_ head: ZoneHead) -> [UInt8] {
        Array(
            """
            event: head
            data: {"epoch":"\(head.epoch)","position":\(head.position)}


            """.utf8)
    }
}

/// What happens once when a stream ends, set after the stream was made.
private final class StreamEnd: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    func run() {
        let taken = action.withLock { action in
            defer { action = nil }
            return action
        }
        taken?()
    }
}
