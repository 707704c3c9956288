/// Jobs that wait for threads. The zones take turns, each in the order of its jobs.
///
/// Three quarters of the threads, rounded down, are the most that the jobs of one zone, or of one
/// client, occupy at a time, but at least one. The same share of the queue is the most that the
/// waiting jobs of one zone fill.
struct FairQueue {
    struct Job {
        let key: UInt
        let purpose: WorkerPool.Purpose
        let run: @Sendable () -> Void
    }

    private struct Lane {
        var waiting: [Job] = []
        var running = 0
    }

    private let limit: Int
    /// The greatest number of threads for one zone, and for one client.
    let threadShare: Int
    private let waitingShare: Int
    private var lanes: [String: Lane] = [:]
    /// The zones with waiting jobs; the first one is served next.
    private var turns: [String] = []
    private var runningClients: [Int: Int] = [:]
    private(set) var waitingCount = 0

    /// Creates an empty queue.
    ///
    /// - Parameter limit: The greatest number of jobs that wait.
    init(threads: Int, limit: Int) {
        self.limit = limit
        threadShare = max(threads * 3 / 4, 1)
        waitingShare = max(limit * 3 / 4, 1)
    }

    /// Adds a job behind those of its zone.
    ///
    /// - Returns: False if too many jobs wait.
    mutating func add(_ job: Job) -> Bool {
        let zone = job.purpose.zone
        let count = lanes[zone]?.waiting.count ?? 0
        guard waitingCount < limit, count < waitingShare else { return false }
        if count == 0 { turns.append(zone) }
        lanes[zone, default: Lane()].waiting.append(job)
        waitingCount += 1
        return true
    }

    /// Removes a job that waits.
    ///
    /// - Returns: False if it does not wait.
    mutating func remove(_ key: UInt, of zone: String) -> Bool {
        guard let index = lanes[zone]?.waiting.firstIndex(where: { $0.key == key }) else {
            return false
        }
        lanes[zone]?.waiting.remove(at: index)
        waitingCount -= 1
        guard let lane = lanes[zone], lane.waiting.isEmpty else { return true }
        turns.removeAll { $0 == zone }
        if lane.running == 0 { lanes[zone] = nil }
        return true
    }

    /// Takes the next job that may run now: the first of a zone and of a client that have threads
    /// left.
    mutating func take() -> Job? {
        guard let (turn, index) = firstReady() else { return nil }
        return start(index, of: turns.remove(at: turn))
    }

    /// True if a job would be the next of its zone, and its zone and its client have threads left.
    func hasRoom(for purpose: WorkerPool.Purpose) -> Bool {
        if let lane = lanes[purpose.zone] {
            guard lane.waiting.isEmpty, lane.running < threadShare else { return false }
        }
        return runningClients[purpose.client, default: 0] < threadShare
    }

    /// True if a job may run now.
    var hasReady: Bool { firstReady() != nil }

    private func firstReady() -> (turn: Int, index: Int)? {
        for turn in turns.indices {
            guard let lane = lanes[turns[turn]], lane.running < threadShare,
                let index = lane.waiting.firstIndex(where: {
                    runningClients[$0.purpose.client, default: 0] < threadShare
                })
            else { continue }
            return (turn, index)
        }
        return nil
    }

    private mutating func start(_ index: Int, of zone: String) -> Job? {
        guard let job = lanes[zone]?.waiting.remove(at: index) else { return nil }
        if lanes[zone]?.waiting.isEmpty == false { turns.append(zone) }
        lanes[zone]?.running += 1
        runningClients[job.purpose.client, default: 0] += 1
        waitingCount -= 1
        return job
    }

    /// Frees the thread of a job that has ended.
    mutating func end(_ purpose: WorkerPool.Purpose) {
        lanes[purpose.zone]?.running -= 1
        if let lane = lanes[purpose.zone], lane.running == 0, lane.waiting.isEmpty {
            lanes[purpose.zone] = nil
        }
        let rest = (runningClients[purpose.client] ?? 1) - 1
        runningClients[purpose.client] = rest > 0 ? rest : nil
    }
}
