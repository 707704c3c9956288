/// The requests that have begun and not ended; stopping the server waits for them.
final class LiveRequests: Sendable {
    private let ended = Condition()
    // These are used only while `ended` is locked.
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var streams: [ObjectIdentifier: EventStream] = [:]
    nonisolated(unsafe) private var isClosing = false

    func begin() { ended.withLock { count += 1 } }

    func end(_ stream: EventStream?) {
        ended.withLock {
            count -= 1
            if let stream { streams[ObjectIdentifier(stream)] = nil }
            if count == 0 { ended.broadcast() }
        }
    }

    func add(_ stream: EventStream) {
        let mustClose = ended.withLock {
            streams[ObjectIdentifier(stream)] = stream
            return isClosing
        }
        if mustClose { stream.close() }
    }

    func closeStreams() {
        let open = ended.withLock {
            isClosing = true
            return Array(streams.values)
        }
        for stream in open { stream.close() }
    }

    func waitUntilEnded(by deadline: ContinuousClock.Instant) {
        ended.withLock {
            while count > 0, ended.wait(until: deadline) {}
        }
    }
}
