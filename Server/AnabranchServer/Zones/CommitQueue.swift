import Dispatch
import Synchronization

/// Lets callers that wait at the same time share one transaction.
///
/// The first caller that finds the queue idle becomes the leader. It runs its own job and the jobs
/// that wait with it in one transaction. Then the first caller of those that arrived meanwhile
/// leads on, so no caller waits longer than for the transaction before its own and for its own. A
/// single caller has no overhead, and under load one flush to the disk serves many callers. The
/// queue has no thread of its own, so a simulation that calls from one thread is deterministic.
final class CommitQueue<Job: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let job: Job
        let turn: Waiter
    }

    private final class Waiter: Sendable {
        /// The result of the job; `nil` while it waits or if its caller is to lead.
        let outcome = Mutex<Result<Outcome, any Error>?>(nil)
        let signal = DispatchSemaphore(value: 0)
    }

    private struct State {
        var waiting: [Waiting] = []
        var isLed = false
    }

    private let state = Mutex(State())
    /// Runs all jobs in one transaction; called by one thread at a time.
    private let work: @Sendable ([Job]) throws -> [Outcome]
    private let maximumTogether: Int

    init(maximumTogether: Int, work: @escaping @Sendable ([Job]) throws -> [Outcome]) {
        self.maximumTogether = maximumTogether
        self.work = work
    }

    /// Runs a job and waits for its outcome.
    ///
    /// - Throws: The error of the job's transaction; nothing of the job is kept.
    func run(_ job: Job) throws -> Outcome {
        let turn = Waiter()
        let isLeader = state.withLock { state in
            state.waiting.append(Waiting(job: job, turn: turn))
            defer { state.isLed = true }
            return !state.isLed
        }
        if isLeader { lead() }
        while true {
            turn.signal.wait()
            if let outcome = turn.outcome.withLock({ $0 }) { return try outcome.get() }
            lead()
        }
    }

    /// The number of callers with a job that has not started.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs the jobs that wait, of which the caller's own is the first, and passes on the lead.
    private func lead() {
        let jobs = state.withLock { state in
            let taken = Array(state.waiting.prefix(maximumTogether))
            state.waiting.removeFirst(taken.count)
            return taken
        }
        perform(jobs)
        let next = state.withLock { state in
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.turn.signal.signal()
    }

    private func perform(_ waiting: [Waiting]) {
        do {
            let outcomes = try work(waiting.map(\.job))
            for (each, outcome) in zip(waiting, outcomes) { finish(each, .success(outcome)) }
        } catch  where waiting.count > 1 {
            // One job may have caused the failure of all: each is repeated in a transaction of its
            // own.
            for each in waiting { perform([each]) }
        } catch {
            for each in waiting { finish(each, .failure(error)) }
        }
    }

    private func finish(_ waiting: Waiting, _ outcome: Result<Outcome, any Error>) {
        waiting.turn.outcome.withLock { $0 = outcome }
        waiting.turn.signal.signal()
    }
}
