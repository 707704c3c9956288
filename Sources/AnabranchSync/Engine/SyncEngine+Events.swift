internal import AnabranchReplication
internal import Synchronization

// The live loop's knowledge of the zone: its event stream, and polls while there is none.
extension SyncEngine {
    /// Follows the zone's events, and polls the zone while they do not arrive.
    func followEvents(
        _ wake: AsyncStream<Void>.Continuation, _ look: AsyncStream<Void>.Continuation
    ) async {
        var health = EventStreamHealth(silence: options.eventSilence)
        var polls: Task<Void, Never>? = startPolling(wake)
        defer { polls?.cancel() }
        while !Task.isCancelled {
            var failure: SyncError?
            health.begin()
            do {
                for try await event in transport.events() {
                    let isNewlyLive = health.receive(event)
                    if isNewlyLive {
                        polls?.cancel()
                        polls = nil
                        await report(missingEvents: nil)
                    }
                    // No event reports entries that were appended while no stream was live.
                    if isNewlyLive || isNews(event) { wake.yield() } else { look.yield() }
                }
            } catch {
                failure = error as? SyncError
            }
            guard !Task.isCancelled else { return }
            if polls == nil { polls = startPolling(wake) }
            if let reason = health.end(failure), await report(missingEvents: reason),
                reason.code == .unauthorized || reason.code == .forbidden
            {
                // The token is probably not valid any more. The exchange reports it and need not
                // wait for a poll.
                wake.yield()
            }
            let delay = options.retry.delay(
                afterFailures: health.failures, draw: environment.draw(),
                serverDelay: failure?.serverDelay)
            guard (try? await environment.sleep(delay)) != nil else { return }
        }
    }

    /// Indicates whether the zone may have entries after the store's position. An entry of another
    /// epoch is news at any position, because a restored log is shorter.
    private func isNews(_ event: ZoneEvent) -> Bool {
        guard case .head(let epoch, let position) = event else { return false }
        let known = state.withLock { $0.zone?.epoch }
        return position > status.position || epoch != known
    }

    /// Reports by the status and in the store's file whether live events are missing.
    ///
    /// - Parameter reason: The reason why they are missing, or `nil` if they arrive.
    /// - Returns: Whether this differs from what was reported before.
    @discardableResult
    private func report(missingEvents reason: SyncError?) async -> Bool {
        let isPolling = state.withLock { $0.status.pollInterval != nil }
        let isNew = !SyncFailures.isSame(status.missingEvents, reason)
        guard isNew || isPolling && reason == nil else { return false }
        change { state in
            state.status.missingEvents = reason
            if reason == nil { state.status.pollInterval = nil }
        }
        let kept = state.withLock { $0.keptMissingEvents }
        guard !SyncFailures.isSame(kept, reason) else { return isNew }
        let isKept = await onQueue { side in
            (try? SyncMetadata.keep(missingEvents: reason, in: side.store)) != nil
        }
        if isKept { state.withLock { $0.keptMissingEvents = reason } }
        return isNew
    }

    private func startPolling(_ wake: AsyncStream<Void>.Continuation) -> Task<Void, Never> {
        Task { [weak self] in await self?.poll(wake) }
    }

    /// Makes an exchange at each poll interval until the task is cancelled.
    private func poll(_ wake: AsyncStream<Void>.Continuation) async {
        var quietPolls = 0
        while true {
            let interval = options.pollInterval(afterQuietPolls: quietPolls)
            if status.pollInterval != interval {
                // A stream that became live has cancelled this task before it clears the interval.
                change { if !Task.isCancelled { $0.status.pollInterval = interval } }
            }
            // Clients that lost one server together do not poll together.
            let share = Double(environment.draw() >> 11) / Double(UInt64(1) << 53)
            let delay = interval * (0.5 + share / 2)
            guard (try? await environment.sleep(delay)) != nil, !Task.isCancelled else { return }
            quietPolls += 1
            do {
                let outcome = try await synchronize()
                if outcome.pulledChangeSets + outcome.pushedChangeSets > 0 { quietPolls = 0 }
            } catch {
                guard !(error is CancellationError) else { return }
                // The loop repeats the exchange after its back-off, or ends.
                wake.yield()
            }
        }
    }
}
