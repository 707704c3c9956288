/// The zone and the client of a job.
struct JobPurpose: Hashable, Sendable {
    /// The zone, or another subject of requests that share threads.
    var zone: String
    /// The client, by a number that its requests share; `nil` if its jobs are not counted.
    var client: Int?
}

/// Jobs that wait for room. The zones take turns, and the clients of a zone, each in the order of
/// its jobs.
///
/// A share of the room, rounded down, is the most that the jobs of one zone, or of one client,
/// occupy at a time, but at least one. The same share of the queue is the most that the waiting
/// jobs of one zone fill, and the same share of that the most that one client fills there.
struct FairQueue<Job> {
    fileprivate struct Lane {
        /// The waiting jobs of each client; those of no client are together.
        var waiting: [Int?: [Job]] = [:]
        /// The clients with waiting jobs; the first one that has room is served next.
        var turns: [Int?] = []
        var waitingCount = 0
        var running = 0
    }

    private let limit: Int
    /// The greatest number of running jobs of one zone, and of one client.
    let share: Int
    private let waitingShare: Int
    private let clientShare: Int
    private var lanes: [String: Lane] = [:]
    /// The zones with waiting jobs; the first one that has room is served next.
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
        clientShare = max(waitingShare * quarters / 4, 1)
    }

    /// Adds a job behind those of its client in its zone.
    ///
    /// - Returns: False if too many jobs wait.
    mutating func add(_ job: Job, for purpose: JobPurpose) -> Bool {
        let ofZone = lanes[purpose.zone]?.waitingCount ?? 0
        let ofClient = lanes[purpose.zone]?.waiting[purpose.client]?.count ?? 0
        guard waitingCount < limit, ofZone < waitingShare,
            purpose.client == nil || ofClient < clientShare
        else { return false }
        if ofZone == 0 { turns.append(purpose.zone) }
        lanes[purpose.zone, default: Lane()].add(job, of: purpose.client)
        waitingCount += 1
        return true
    }

    /// Takes the next job that may run now: one of a zone and of a client that have room left,
    /// which then have their next turn behind the others.
    mutating func take() -> (job: Job, purpose: JobPurpose)? {
        guard let purpose = firstReady(), let job = remove(for: purpose, at: 0) else { return nil }
        turns.moveToEnd(purpose.zone)
        lanes[purpose.zone]?.turns.moveToEnd(purpose.client)
        begin(purpose)
        return (job, purpose)
    }

    /// True if a job may run now.
    var hasReady: Bool { firstReady() != nil }

    private func firstReady() -> JobPurpose? {
        for zone in turns where hasRoom(zone: zone) {
            guard let client = lanes[zone]?.turns.first(where: hasRoom(client:)) else { continue }
            return JobPurpose(zone: zone, client: client)
        }
        return nil
    }

    /// Takes a waiting job out of the queue, which costs its zone and its client no turn.
    ///
    /// - Returns: False if it does not wait any more.
    mutating func remove(for purpose: JobPurpose, where isJob: (Job) -> Bool) -> Bool {
        guard let index = lanes[purpose.zone]?.waiting[purpose.client]?.firstIndex(where: isJob)
        else { return false }
        _ = remove(for: purpose, at: index)
        drop(purpose.zone)
        return true
    }

    /// Takes all waiting jobs out of the queue.
    mutating func removeAll() -> [Job] {
        var jobs: [Job] = []
        while let zone = turns.first, let client = lanes[zone]?.turns.first {
            if let job = remove(for: JobPurpose(zone: zone, client: client), at: 0) {
                jobs.append(job)
            }
            drop(zone)
        }
        return jobs
    }

    private mutating func remove(for purpose: JobPurpose, at index: Int) -> Job? {
        let job = lanes[purpose.zone]?.remove(of: purpose.client, at: index)
        if lanes[purpose.zone]?.waitingCount == 0 { turns.removeAll { $0 == purpose.zone } }
        waitingCount -= 1
        return job
    }

    /// True if a job of this purpose may run now.
    func hasRoom(_ purpose: JobPurpose) -> Bool {
        hasRoom(zone: purpose.zone) && hasRoom(client: purpose.client)
    }

    private func hasRoom(zone: String) -> Bool { lanes[zone]?.running ?? 0 < share }

    private func hasRoom(client: Int?) -> Bool {
        client.map { runningClients[$0] ?? 0 < share } ?? true
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
        if let lane = lanes[zone], lane.running == 0, lane.waitingCount == 0 { lanes[zone] = nil }
    }
}

extension FairQueue.Lane {
    mutating func add(_ job: Job, of client: Int?) {
        if waiting[client] == nil { turns.append(client) }
        waiting[client, default: []].append(job)
        waitingCount += 1
    }

    mutating func remove(of client: Int?, at index: Int) -> Job? {
        let job = waiting[client]?.remove(at: index)
        if waiting[client]?.isEmpty == true {
            waiting[client] = nil
            turns.removeAll { $0 == client }
        }
        waitingCount -= 1
        return job
    }
}

extension Array where Element: Equatable {
    fileprivate mutating func moveToEnd(_ element: Element) {
        if let index = firstIndex(of: element) { append(remove(at: index)) }
    }
}
