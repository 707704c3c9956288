#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The clock, the randomness and the timer of an engine, which a test replaces.
package struct SyncEnvironment: Sendable {
    /// Returns the time in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: @Sendable () -> Int64
    /// Returns a random number for the jitter of back-off.
    package var draw: @Sendable () -> UInt64
    /// Waits for a duration.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        draw: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.draw = draw
        self.sleep = sleep
    }

    /// The system's clock, random numbers and timer.
    package static let system = SyncEnvironment(
        wallMilliseconds: { Int64(Date().timeIntervalSince1970 * 1000) },
        draw: { UInt64.random(in: .min ... .max) },
        sleep: { try await Task.sleep(for: $0) })

    var input: StepInput {
        StepInput(wallMilliseconds: wallMilliseconds(), draw: draw())
    }
}
