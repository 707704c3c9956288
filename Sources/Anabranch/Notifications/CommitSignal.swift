import AnabranchStore
import Synchronization

/// Wakes the code of one coordinator that follows the commits to its store's file.
final class CommitSignal: Sendable {
    /// Listeners to all commits, and listeners that need not know of this coordinator's own.
    private let all = EventStreams<Void>(limit: 1)
    private let foreign = EventStreams<Void>(limit: 1)
    private let reports = WriteReports()
    private let store: Store
    /// The watch that all followers share; `nil` before there is one.
    private let watch = Mutex<CommitWatch?>(nil)

    init(of store: Store) { self.store = store }

    /// Returns a sequence of wake-ups. It ends when the store closes.
    ///
    /// - Parameter ofOwnSaves: True if saves of the coordinator itself have to wake the follower.
    func wakes(ofOwnSaves: Bool) -> AsyncStream<Void> {
        // The watch exists before the follower looks for the first time.
        watch.withLock { watch in
            guard watch == nil else { return }
            reports.note(at: .now)
            watch = CommitWatch(of: store) { [reports, weak self] in
                reports.note(at: .now)
                self?.raise()
            }
        }
        return (ofOwnSaves ? all : foreign).stream()
    }

    /// Wakes followers, because something may have been committed.
    func raise(byOwnSave: Bool = false) {
        if !all.isEmpty { all.yield(()) }
        if !byOwnSave { foreign.yield(()) }
    }

    /// Requests a wake-up for the next commit. A follower calls it before it looks, so that no
    /// commit falls between the two.
    ///
    /// - Returns: False if nothing reports commits, so that the follower has to look again and
    ///   again.
    func arm() -> Bool { watch.withLock { $0?.arm() ?? false } }

    /// Returns the time until the next look after one that has found nothing new; `nil` if the
    /// next wake-up suffices.
    ///
    /// - Parameter isArmed: The result of ``arm()`` before the look.
    func pause(isArmed: Bool) -> Duration? {
        isArmed ? reports.pause(at: .now) : Self.pauseWithoutReports
    }

    private static let pauseWithoutReports = Duration.seconds(1)

    func finish() {
        all.finish()
        foreign.finish()
        watch.withLock { $0 = nil }
    }
}

/// Waits for the next value of something that commits to a store's file change.
final class CommitFollower<Value: Equatable & Sendable>: Sendable {
    private let last: Mutex<Value?>
    private let wakes: AsyncStream<Void>
    private weak let signal: CommitSignal?
    private let read: @Sendable () throws -> Value?

    /// - Parameters:
    ///   - value: The last known value; `nil` reports the present one first.
    ///   - ofOwnSaves: True if a save of the coordinator itself can be what is waited for.
    ///   - read: Returns the present value; `nil` if the store is closed.
    init(
        _ signal: CommitSignal, since value: Value? = nil, ofOwnSaves: Bool = true,
        read: @escaping @Sendable () throws -> Value?
    ) {
        last = Mutex(value)
        wakes = signal.wakes(ofOwnSaves: ofOwnSaves)
        self.signal = signal
        self.read = read
    }

    /// Returns the next value that differs from the last one; `nil` if the store was closed or the
    /// task was cancelled.
    func next() async throws -> Value? {
        while !Task.isCancelled {
            guard let isArmed = signal?.arm(), let value = try read() else { return nil }
            let isNew = last.withLock { last in
                defer { last = value }
                return value != last
            }
            if isNew { return value }
            let pause = signal?.pause(isArmed: isArmed)
            guard await isWoken(within: pause) else { return nil }
        }
        return nil
    }

    /// Waits until something may have been committed, or until a time has passed.
    ///
    /// - Returns: False if the store was closed or the task was cancelled.
    private func isWoken(within pause: Duration?) async -> Bool {
        let timer = pause.map { pause in
            Task { [weak signal] in
                try await Task.sleep(for: pause)
                signal?.raise()
            }
        }
        defer { timer?.cancel() }
        var wakes = wakes.makeAsyncIterator()
        return await wakes.next() != nil
    }
}
