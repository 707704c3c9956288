/// Follows a run of seeds while it goes on. Its functions are called from several threads.
package struct RunObserver: Sendable {
    /// Called with a seed that has failed, at once, and whether it is the run's first failure.
    package var didFail: @Sendable (_ failure: SeedRun.Failure, _ isFirst: Bool) -> Void
    /// Called after each seed with the numbers of seeds that have finished and failed.
    package var didFinish: @Sendable (_ finished: Int, _ failed: Int) -> Void
    /// Whether no further seed begins. The seeds that run go on to their end.
    package var isStopped: @Sendable () -> Bool

    package init(
        didFail: @escaping @Sendable (SeedRun.Failure, Bool) -> Void = { _, _ in },
        didFinish: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.didFail = didFail
        self.didFinish = didFinish
        self.isStopped = isStopped
    }
}
