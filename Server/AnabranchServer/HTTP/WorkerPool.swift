import Foundation
import Synchronization

/// Threads that work on requests, so that the socket threads never wait for a disk.
///
/// The pool has its own threads because a job may wait for a zone's writer. A pool with one thread
/// for each core would be blocked by a few pushes. Zones take turns, and neither a zone nor a
/// client can take all threads or the whole queue, so others are served while one is saturated.
final class WorkerPool: Sendable {
    /// What a job is done for.
    struct Purpose: Hashable, Sendable {
        /// The zone, or another subject of requests that share threads.
        var zone: String
        /// The client, by a number that its requests share.
        var client: Int
    }

    private let queue = NSCondition()
    /// Used only while `queue` is locked.
    nonisolated(unsafe) private var jobs: FairQueue
    nonisolated(unsafe) private var isStopping = false
    private let ended = DispatchGroup()

    /// Starts the threads.
    ///
    /// - Parameter limit: The greatest number of jobs that wait for a thread.
    init(threads: Int, limit: Int) {
        jobs = FairQueue(threads: max(threads, 1), limit: limit)
        for number in 1...max(threads, 1) {
            ended.enter()
            let thread = Thread { [self] in
                work()
                ended.leave()
            }
            thread.name = "anabranch-\(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Queues a job.
    ///
    /// - Returns: False if too many jobs wait, altogether or for the same zone, or the pool stops.
    func submit(for purpose: Purpose, _ job: @escaping @Sendable () -> Void) -> Bool {
        queue.withLock {
            guard !isStopping, jobs.add(.init(purpose: purpose, run: job)) else { return false }
            queue.signal()
            return true
        }
    }

    /// Ends the threads after all queued jobs are done.
    func stop() {
        queue.withLock {
            isStopping = true
            queue.broadcast()
        }
        ended.wait()
    }

    private func work() {
        var done: Purpose?
        while let job = next(after: done) {
            job.run()
            done = job.purpose
        }
    }

    /// Waits for a job that may run now.
    ///
    /// - Parameter done: The purpose of the job that this thread has ended.
    ///
    /// - Returns: `nil` if the pool stops and no job is left.
    private func next(after done: Purpose?) -> FairQueue.Job? {
        queue.withLock {
            if let done { jobs.end(done) }
            while true {
                if let job = jobs.take() {
                    // The job that has ended may have kept more than one waiting.
                    if jobs.hasReady { queue.signal() }
                    return job
                }
                if isStopping, jobs.waitingCount == 0 {
                    queue.broadcast()
                    return nil
                }
                queue.wait()
            }
        }
    }
}
