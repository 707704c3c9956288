import Foundation
import Synchronization

/// Threads that work on requests, so that the socket threads never wait for a disk.
///
/// The pool has its own threads because a job may wait for a zone's writer. A pool with one thread
/// for each core would be blocked by a few pushes. Zones take turns, and neither a zone nor a
/// client can take all threads or the whole queue, so others are served while one is saturated.
final class WorkerPool: Sendable {
    typealias Purpose = JobPurpose

    fileprivate struct Job: Sendable {
        let key: UInt
        let run: @Sendable () -> Void
    }

    fileprivate struct State {
        var jobs: FairQueue<Job>
        /// The number of threads that wait to be woken.
        var idleCount = 0
        /// The number of threads that were woken and have not looked for a job yet.
        var wakingCount = 0
        var isStopping = false

        /// Claims a thread to be woken.
        ///
        /// - Returns: False if no thread waits.
        mutating func claimIdle() -> Bool {
            guard idleCount > 0 else { return false }
            idleCount -= 1
            wakingCount += 1
            return true
        }
    }

    private let threads: Int
    private let stackBytes: Int
    private let state: Mutex<State>
    private let woken = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()

    /// Creates a pool. Its threads are not started yet.
    ///
    /// - Parameter limit: The greatest number of jobs that wait for a thread.
    init(threads: Int, limit: Int, stackBytes: Int = 1 << 20) {
        (self.threads, self.stackBytes) = (max(threads, 1), stackBytes)
        state = Mutex(State(jobs: FairQueue(room: self.threads, limit: limit)))
    }

    /// Starts the threads.
    ///
    /// - Throws: ``ThreadError`` if the process may not have so many. Then the pool has to be
    ///   stopped.
    func start() throws(ThreadError) {
        for number in 1...threads {
            ended.enter()
            do throws(ThreadError) {
                try SystemThread.start("anabranch-\(number)", stackBytes: stackBytes) { [self] in
                    work()
                    ended.leave()
                }
            } catch {
                ended.leave()
                throw error
            }
        }
    }

    /// The number of jobs that wait for a thread.
    var waitingCount: Int { state.withLock { $0.jobs.waitingCount } }

    /// True if a job would have to wait for a thread now.
    func isBusy(for purpose: Purpose) -> Bool {
        state.withLock { $0.idleCount == 0 || !$0.jobs.hasRoom(purpose) }
    }

    /// Queues a job.
    ///
    /// - Parameter key: Distinguishes the job from the others that wait.
    /// - Returns: False if too many jobs wait, altogether or for the same zone, or the pool stops.
    func submit(
        _ key: UInt, for purpose: Purpose, _ run: @escaping @Sendable () -> Void
    ) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            guard !state.isStopping, state.jobs.add(Job(key: key, run: run), for: purpose) else {
                return (false, false)
            }
            return (true, state.jobs.hasReady && state.claimIdle())
        }
        if wakes { woken.signal() }
        return isTaken
    }

    /// Takes a job back that no thread has begun.
    ///
    /// - Returns: False if a thread has begun or ended it.
    func withdraw(_ key: UInt, for purpose: Purpose) -> Bool {
        state.withLock { $0.jobs.remove(for: purpose) { $0.key == key } }
    }

    /// Ends the threads after all queued jobs are done.
    func stop() {
        state.withLock { $0.isStopping = true }
        wakeAll()
        ended.wait()
    }

    private func wakeAll() {
        let count = state.withLock { state in
            defer { state.idleCount = 0 }
            state.wakingCount += state.idleCount
            return state.idleCount
        }
        for _ in 0..<count { woken.signal() }
    }

    private func work() {
        var done: Purpose?
        var isWoken = false
        while true {
            let (next, wakes) = state.withLock { $0.next(after: done, isWoken: isWoken) }
            (done, isWoken) = (nil, false)
            if wakes { woken.signal() }
            switch next {
            case .job(let job, let purpose):
                job.run()
                done = purpose
            case .wait:
                woken.wait()
                isWoken = true
            case .end: return wakeAll()
            }
        }
    }
}

extension WorkerPool.State {
    /// The next step of a thread.
    enum Step {
        case job(WorkerPool.Job, WorkerPool.Purpose)
        case wait
        case end
    }

    /// Chooses what a thread does.
    ///
    /// - Parameters:
    ///   - done: The purpose of the job that the thread has ended.
    ///   - isWoken: True if the thread has waited.
    ///
    /// - Returns: The step, and whether another thread is to be woken.
    mutating func next(
        after done: WorkerPool.Purpose?, isWoken: Bool
    ) -> (Step, wakes: Bool) {
        if isWoken { wakingCount -= 1 }
        if let done { jobs.end(done) }
        guard let (job, purpose) = jobs.take() else {
            if isStopping, jobs.waitingCount == 0 { return (.end, false) }
            idleCount += 1
            return (.wait, false)
        }
        // The end of a job may make more than one ready. A thread that is waking takes the next.
        return (.job(job, purpose), wakingCount == 0 && jobs.hasReady && claimIdle())
    }
}
