import Dispatch
import Synchronization

/// Lets callers that wait at the same time share one transaction.
///
/// The first caller that finds nobody at work becomes the leader: it does its own work and that
/// of all who came meanwhile, again and again until nobody waits. So a single caller pays nothing,
/// and under load one flush to the disk serves many. There is no thread of its own, so a
/// simulation that calls from one thread is deterministic.
final class CommitQueue<Job: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let job: Job
        let turn: Turn
    }

    private final class Turn: Sendable {
        let outcome = Mutex<Result<Outcome, any Error>?>(nil)
        let signal = DispatchSemaphore(value: 0)
    }

    private struct State {
        var waiting: [Waiting] = []
        var isLed = false
    }

    private let state = Mutex(State())
    /// Does all jobs in one transaction; called by one thread at a time.
    private let work: @Sendable ([Job]) throws -> [Outcome]
    private let mostTogether: Int

    init(mostTogether: Int, work: @escaping @Sendable ([Job]) throws -> [Outcome]) {
        self.mostTogether = mostTogether
        self.work = work
    }

    /// - Throws: What the transaction of this job threw; nothing of the job is kept then.
    func run(_ job: Job) throws -> Outcome {
        let turn = Turn()
        let leads = state.withLock { state in
            state.waiting.append(Waiting(job: job, turn: turn))
            defer { state.isLed = true }
            return !state.isLed
        }
        if leads { lead() }
        turn.signal.wait()
        guard let outcome = turn.outcome.withLock({ $0 }) else {
            preconditionFailure("a turn comes with its outcome")
        }
        return try outcome.get()
    }

    /// Callers whose turn has not begun.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func lead() {
        while let jobs = takeWaiting() { perform(jobs) }
    }

    private func takeWaiting() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isLed = false
                return nil
            }
            let taken = Array(state.waiting.prefix(mostTogether))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    private func perform(_ waiting: [Waiting]) {
        do {
            let outcomes = try work(waiting.map(\.job))
            for (each, outcome) in zip(waiting, outcomes) { finish(each, .success(outcome)) }
        } catch  where waiting.count > 1 {
            // One job may be what the others failed for: each gets a transaction of its own.
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
