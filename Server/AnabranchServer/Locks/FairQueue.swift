/// The zone and the client of a job.
struct JobPurpose: Hashable, Sendable {
    /// The zone, or another subject of requests that share threads.
    var zone: String
    /// The client, by a number that its requests share; `nil` if its jobs are not counted.
    var client: Int?
}

/// Jobs that wait for room. The zones take turns, each in the order of its jobs.
///
/// A share of the room, rounded down, is the most that the jobs of one zone, or of one client,
/// occupy at a time, but at least one. The same share of the queue is the most that the waiting
/// jobs of one zone fill.
struct FairQueue<Job> {
    private struct Lane {
        var waiting: [(job: Job, purpose: JobPurpose)] = []
        var running = 0
    }

    private let limit: Int
    /// The greatest number of running jobs of one zone, and of one client.
    let share: Int
    private let waitingShare: Int
    private var lanes: [String: Lane] = [:]
    /// The zones with waiting jobs; the first one is served next.
    private var turns: [String] = []
    private var runningClients: [Int: Int] = [:]
    private(set) var runningCount = 0
    private(set) var waitingCount = 0

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - room: The number of jobs that run at a time. The caller takes no more.
    ///   - limit: The greatest number of jobs that wait.
    ///   - quarters: The share of one zone.
    init(room: Int, limit: Int, quarters: Int = 3) {
        self.limit = limit
        share = max(room * quarters / 4, 1)
        waitingShare = max(limit * quarters / 4, 1)
    }

    /// Adds a job behind those of its zone.
    ///
    /// - Returns: False if too many jobs wait.
    mutating func add(_ job: Job, for purpose: JobPurpose) -> Bool {
        let count = lanes[purpose.zone]?.waiting.count ?? 0
        guard waitingCount < limit, count < waitingShare else { return false }
        if count == 0 { turns.append(purpose.zone) }
        lanes[purpose.zone, default: Lane()].waiting.append((job, purpose))
        waitingCount += 1
        return true
    }

    /// Takes the next job that may run now: the first of a zone and of a client that have room
    /// left.
    mutating func take() -> (job: Job, purpose: JobPurpose)? {
        guard let (turn, index) = firstReady() else { return nil }
        let taken = remove(at: index, of: turn)
        if let taken { begin(taken.purpose) }
        return taken
    }

    /// True if a job may run now.
    var hasReady: Bool { firstReady() != nil }

    private func firstReady() -> (turn: Int, index: Int)? {
        for turn in turns.indices {
            guard
                let index = lanes[turns[turn]]?.waiting.firstIndex(where: { hasRoom($0.purpose) })
            else { continue }
            return (turn, index)
        }
        return nil
    }

    /// Takes a waiting job out of the queue.
    ///
    /// - Returns: False if it does not wait any more.
    mutating func remove(for purpose: JobPurpose, where isJob: (Job) -> Bool) -> Bool {
        guard let turn = turns.firstIndex(of: purpose.zone),
            let index = lanes[purpose.zone]?.waiting.firstIndex(where: { isJob($0.job) })
        else { return false }
        let lane = turns[turn]
        _ = remove(at: index, of: turn)
        drop(lane)
        return true
    }

    /// Takes all waiting jobs out of the queue.
    mutating func removeAll() -> [Job] {
        let jobs = turns.flatMap { lanes[$0]?.waiting.map(\.job) ?? [] }
        for zone in turns {
            lanes[zone]?.waiting = []
            drop(zone)
        }
        turns = []
        waitingCount = 0
        return jobs
    }

    /// Removes a job; its zone has its next turn behind the others.
    private mutating func remove(at index: Int, of turn: Int) -> (job: Job, purpose: JobPurpose)? {
        let zone = turns.remove(at: turn)
        let taken = lanes[zone]?.waiting.remove(at: index)
        if lanes[zone]?.waiting.isEmpty == false { turns.append(zone) }
        waitingCount -= 1
        return taken
    }

    /// True if a job of this purpose may run now.
    func hasRoom(_ purpose: JobPurpose) -> Bool {
        lanes[purpose.zone]?.running ?? 0 < share
            && purpose.client.map { runningClients[$0] ?? 0 < share } ?? true
    }

    /// Counts a job that begins to run.
    mutating func begin(_ purpose: JobPurpose) {
        lanes[purpose.zone, default: Lane()].running += 1
        if let client = purpose.client { runningClients[client, default: 0] += 1 }
        runningCount += 1
    }

    /// Frees the room of a job that has ended.
    mutating func end(_ purpose: JobPurpose) {
        lanes[purpose.zone]?.running -= 1
        drop(purpose.zone)
        runningCount -= 1
        guard let client = purpose.client else { return }
        let rest = (runningClients[client] ?? 1) - 1
        runningClients[client] = rest > 0 ? rest : nil
    }

    private mutating func drop(_ zone: String) {
        if let lane = lanes[zone], lane.running == 0, lane.waiting.isEmpty { lanes[zone] = nil }
    }
}
