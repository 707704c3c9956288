import AnabranchSync

extension SyncEngine {
    /// The shortest wait that the user is told about.
    private static let shortestWait = Duration.seconds(1)

    /// Runs an exchange, and tells on standard error each time why it waits and how long.
    func tellingWaits<Result: Sendable>(
        to console: Console, _ exchange: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (statuses, continuation) = AsyncStream.makeStream(of: SyncStatus.self)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { [self] in
                for await status in statusUpdates { continuation.yield(status) }
                return nil
            }
            group.addTask {
                defer { continuation.finish() }
                return try await exchange()
            }
            for await status in statuses {
                if let note = Self.waitNote(status) { console.writeNote(note) }
            }
            while let ended = try await group.next() {
                guard let result = ended else { continue }
                group.cancelAll()
                return result
            }
            throw CancellationError()
        }
    }

    /// The note about a wait; `nil` if the engine does not wait, or only for a moment.
    static func waitNote(_ status: SyncStatus) -> String? {
        guard case .waiting(let delay) = status.activity, delay >= shortestWait,
            let cause = status.delayedBy
        else { return nil }
        let seconds = Quantity.text(Int((delay / .seconds(1)).rounded()), "second")
        return "Trying again in \(seconds): \(TerminalText.printable(cause.message))"
    }
}
