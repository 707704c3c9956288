import Dispatch
import Foundation
import Synchronization

/// Threads that work on requests, so that those that serve sockets never wait for a disk.
///
/// They are threads of our own: work waits for a zone's writer, and a pool that is sized by the
/// cores would be blocked by a few pushes.
final class WorkerPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let limit: Int
    private let ended = DispatchGroup()

    /// - Parameter limit: Jobs that wait for a thread.
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

    /// - Returns: Whether the job was taken; not where too many wait or the pool stops.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isStopping, state.jobs.count < limit else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { signal.signal() }
        return isTaken
    }

    /// Ends the threads once every job that was taken is done.
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
                // Each thread that ends wakes the next.
                signal.signal()
                return
            }
        }
    }
}
