/// The cost of an exchange in requests, bytes and time, for its outcome.
///
/// No decision depends on it, so it may read a clock that a simulation does not control.
struct ExchangeMetrics {
    private var requestCount = 0
    private var sentByteCount = 0
    private var receivedByteCount = 0
    private var applyDuration: Duration = .zero

    mutating func add(request: [UInt8]) {
        requestCount += 1
        sentByteCount += request.count
    }

    mutating func add(answer: [UInt8]) { receivedByteCount += answer.count }

    mutating func add(_ step: any StoreStep, took duration: Duration) {
        if step is ApplyingPage { applyDuration += duration }
    }

    static func timed(
        _ step: any StoreStep, _ side: StoreExecutor
    ) -> (event: SyncSession.Event, duration: Duration) {
        let start = ContinuousClock.now
        let event = step.performed(on: side)
        return (event, ContinuousClock.now - start)
    }

    func added(to outcome: SyncOutcome) -> SyncOutcome {
        var outcome = outcome
        outcome.requestCount = requestCount
        outcome.sentByteCount = sentByteCount
        outcome.receivedByteCount = receivedByteCount
        outcome.applyDuration = applyDuration
        return outcome
    }
}
