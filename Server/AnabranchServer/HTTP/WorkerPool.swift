import Dispatch
import Foundation
import Synchronization

/// Threads that work on requests, so that the socket threads never wait for a disk.
///
/// The pool has its own threads because a job may wait for a zone's writer. A pool with one thread
/// for each core would be blocked by a few pushes.
final class WorkerPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let limit: Int
    private let ended = DispatchGroup()

    /// Starts the threads.
    ///
    /// - Parameter limit: The greatest number of jobs that wait for a thread.
    init(threads: Int, limit: Int) {
        self.limit = limit
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
    /// - Returns: False if too many jobs wait or the pool stops.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isStopping, state.jobs.count < limit else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { signal.signal() }
        return isTaken
    }

    /// Ends the threads after all queued jobs are done.
    func stop() {
        state.withLock { $0.isStopping = true }
        signal.signal()
        ended.wait()
    }

    private func work() {
        while true {
            signal.wait()
            let (job, isStopping) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isStopping)
            }
            if let job {
                job()
            } else if isStopping {
                // Each thread that ends wakes the next one.
                signal.signal()
                return
            }
        }
    }
}
