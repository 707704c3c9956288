/// The cost of an exchange in requests, bytes and time, for its outcome.
///
/// No decision depends on it, so it may read a clock that a simulation does not control.
struct ExchangeMetrics {
    private var requestCount = 0
    private var sentByteCount = 0
    private var receivedByteCount = 0
    private var applyDuration: Duration = .zero

    mutating func add(request: [UInt8], answer: SyncSession.Event) {
        requestCount += 1
        sentByteCount += request.count
        if case .received(let body) = answer { receivedByteCount += body.count }
    }

    mutating func add(_ work: SyncSession.StoreWork, took duration: Duration) {
        if case .apply = work { applyDuration += duration }
    }

    static func timed(
        _ work: SyncSession.StoreWork, _ side: StoreExecutor
    ) -> (event: SyncSession.Event, duration: Duration) {
        let start = ContinuousClock.now
        let event = side.perform(work)
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
