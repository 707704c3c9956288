import Foundation
package import Testing

/// Runs tests that wait for other programs on threads of their own.
///
/// Swift's tasks have as many threads as the system has processors, so on a small one two tests
/// that wait for a program would hold up all others.
package struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite has no case, and its tests have this trait too.
        guard testCase != nil else { return try await body() }
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await body() }
    }
}

extension Trait where Self == WaitingTrait {
    /// The test waits for other programs without giving its thread to other tests.
    package static var waiting: Self { WaitingTrait() }
}

/// The threads of all tests that wait.
private final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads()

    private let queue = OperationQueue()

    private init() {
        queue.maxConcurrentOperationCount = 2 * ProcessInfo.processInfo.activeProcessorCount
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
