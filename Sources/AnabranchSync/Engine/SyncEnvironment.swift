package import AnabranchReplication

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What an engine takes from the world around it, so that a test can give it another.
package struct SyncEnvironment: Sendable {
    /// Since 1970-01-01 UTC.
    package var wallMilliseconds: @Sendable () -> Int64
    /// A random number, for the jitter of back-off.
    package var draw: @Sendable () -> UInt64
    /// - Throws: `CancellationError` where the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// What a simulation switches off to see that it is needed.
    package var disabled: Set<Mechanism> = []

    package init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        draw: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.draw = draw
        self.sleep = sleep
    }

    package static let system = SyncEnvironment(
        wallMilliseconds: { Int64(Date().timeIntervalSince1970 * 1000) },
        draw: { UInt64.random(in: .min ... .max) },
        sleep: { try await Task.sleep(for: $0) })

    var moment: SyncSession.Moment {
        SyncSession.Moment(wallMilliseconds: wallMilliseconds(), draw: draw())
    }
}
