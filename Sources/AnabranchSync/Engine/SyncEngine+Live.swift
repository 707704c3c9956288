internal import AnabranchReplication
internal import AnabranchStore
import Synchronization

extension SyncEngine {
    /// Starts to keep the store up to date.
    ///
    /// The live loop follows the zone's events, pushes the saves of this and other processes, and
    /// retries after failures. While the zone's events do not arrive, it polls the zone, and
    /// ``SyncStatus/missingEvents`` says why. The call returns at once; a second call changes
    /// nothing. The loop ends by itself if the app has to be updated.
    public func start() {
        change { state in
            guard state.live == nil else { return }
            state.status.isLive = true
            state.live = Task { [weak self] in await self?.live() }
        }
    }

    /// Stops the live loop, and returns when it has ended. An exchange may be interrupted; the next
    /// one continues it.
    public func stop() async {
        let task = state.withLock { $0.live }
        task?.cancel()
        await task?.value
        change { state in
            // Another call may have ended the loop too, and a new one may have begun since.
            guard state.live == task else { return }
            state.live = nil
            state.status.isLive = false
            state.status.pollInterval = nil
        }
    }

    private func live() async {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (looks, look) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wake.yield()
        look.yield()
        let observer = SaveObserver(of: side.store) { wake.yield() }
        defer { observer.stop() }
        await withTaskGroup { group in
            group.addTask { await self.followEvents(wake, look) }
            group.addTask { await self.followSaves(wake, at: looks, look) }
            group.addTask { await self.exchange(at: wakes, wake, look) }
            // None of them ends by itself but the exchanges of an app that has to be updated.
            _ = await group.next()
            group.cancelAll()
            await group.waitForAll()
        }
        guard !Task.isCancelled else { return }
        change { state in
            state.live = nil
            state.status.isLive = false
            state.status.pollInterval = nil
        }
    }

    /// Runs one exchange for each wake-up, and after a failure another one when the back-off has
    /// passed. Returns if the app has to be updated.
    private func exchange(
        at wakes: AsyncStream<Void>, _ wake: AsyncStream<Void>.Continuation,
        _ look: AsyncStream<Void>.Continuation
    ) async {
        var failures = 0
        for await _ in wakes {
            defer { look.yield() }
            do {
                try await synchronize()
                failures = 0
            } catch is CancellationError {
                return
            } catch let error as SyncError where error.code == .updateRequired {
                return
            } catch {
                failures += 1
                let delay = options.retry.delay(
                    afterFailures: failures + 2, draw: environment.draw(),
                    serverDelay: (error as? SyncError)?.serverDelay)
                guard (try? await environment.sleep(delay)) != nil else { return }
                wake.yield()
            }
        }
    }

    /// Looks for saves of other processes and wakes the loop for them.
    ///
    /// It looks when the file is written, after each exchange, and at signs of life from the
    /// server. Where the system does not report writes, it looks at each interval.
    ///
    /// If the zone refuses a save, it is offered again after further saves, and from time to time.
    /// The cause may pass: a clock that was ahead comes near, or an operator raises a quota.
    private func followSaves(
        _ wake: AsyncStream<Void>.Continuation, at looks: AsyncStream<Void>,
        _ look: AsyncStream<Void>.Continuation
    ) async {
        let watch = CommitWatch(of: side.store) { look.yield() }
        var turns = looks.makeAsyncIterator()
        var refusedCount = 0
        var refusals = 0
        var waited = Duration.zero
        // True if the pending saves could not be counted after a commit.
        var isBehind = false
        while (try? await environment.sleep(options.saveInterval)) != nil {
            if !isBehind, status.blockedBy == nil, watch.arm() {
                guard await turns.next() != nil else { return }
            }
            var count: Int?
            if isBehind || (try? watch.hasChanged()) ?? true {
                count = await refreshPending()
                isBehind = count == nil
            }
            guard let cause = status.blockedBy else {
                refusedCount = 0
                refusals = 0
                if let count, count > 0 { wake.yield() }
                continue
            }
            waited += options.saveInterval
            let isMore = (count ?? refusedCount) > refusedCount
            let pause = options.retry.pause(afterRefusals: refusals, for: cause)
            guard isMore || waited > pause else { continue }
            // A further save may make room, so the pauses begin anew.
            refusals = isMore ? 0 : refusals + 1
            waited = .zero
            refusedCount = count ?? status.pendingCount
            wake.yield()
        }
    }
}
