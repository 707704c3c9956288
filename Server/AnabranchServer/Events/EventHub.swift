import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Synchronization

/// Sends an event to every open event stream of a zone when the zone's log grows.
///
/// A stream holds only the newest head, so a slow client may miss heads but always gets the newest.
/// An event is a hint: only a pull brings change sets to the client.
package final class EventHub: Sendable {
    private struct State {
        var streams: [ObjectIdentifier: EventStream] = [:]
        var counts = StreamCounts()
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limits: StreamLimits
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// Starts the timer for heartbeats.
    ///
    /// - Parameter heartbeat: The time between two heartbeats on streams without other events.
    package init(heartbeat: Duration, limits: StreamLimits = StreamLimits()) {
        self.limits = limits
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        let seconds = max(heartbeat / .seconds(1), 0.01)
        timer.schedule(deadline: .now() + seconds, repeating: seconds)
        timer.setEventHandler { [weak self] in self?.beat() }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Opens an event stream. Its first event is the zone's present head.
    ///
    /// The zone may be closed while the stream is open: a push opens it again.
    ///
    /// - Throws: `tooManyRequests` if the zone or the holder of the right has as many streams as
    ///   it may have.
    func response(
        for name: ZoneName, of zones: OpenZones, to holder: AccessHolder
    ) throws(ProtocolError) -> HTTPResponse {
        try count(holder, name)
        let end = StreamEnd()
        let stream = EventStream { end.run() }
        let identity = ObjectIdentifier(stream)
        let number = zones.addObserver(of: name) { [weak stream] in stream?.post(Self.event($0)) }
        end.set { [weak self] in
            zones.removeObserver(number, of: name)
            self?.state.withLock { state in
                state.streams[identity] = nil
                state.counts.end(holder, name)
            }
        }
        // The head is read after the registration, so that no push is missed between the two.
        do throws(ProtocolError) {
            let head = try zones.withZone(name) { zone throws(ProtocolError) in try zone.head() }
            stream.postFirst(Self.event(head))
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
                ("Content-Type", "text/event-stream"), HTTPHeaders.unchanged,
                ("X-Accel-Buffering", "no"),
            ]), body: .events(stream))
    }

    private func count(_ holder: AccessHolder, _ name: ZoneName) throws(ProtocolError) {
        let full = state.withLock { $0.counts.begin(holder, name, limits) }
        guard let full else { return }
        throw ProtocolError(
            .tooManyRequests,
            "The \(full.rawValue) has as many event streams as it may have: close some, or poll.",
            details: [
                "limit": "streams-per-\(full.rawValue)",
                ProtocolError.retryAfterDetail: "\(StreamLimits.retrySeconds)",
            ])
    }

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

/// An action that runs once when a stream ends, and that is set after the stream was created.
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
