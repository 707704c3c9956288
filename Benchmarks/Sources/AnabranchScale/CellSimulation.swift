/// A simulation of one database and its daemons, event by event.
///
/// A push takes a core of a daemon, and joins the next group commit of its zone there. A commit
/// waits for the zone's lock in the database, takes a core of it, and is confirmed by a flush of
/// the log together with all commits that wait for one. Service times are random around the means
/// of the costs.
struct CellSimulation {
    private struct Push {
        let zone: Int
        let daemon: Int
        let start: Double
    }

    private struct Group {
        let zone: Int
        let daemon: Int
        var pushes: [Push]
    }

    private enum Event {
        case arrival
        case atDaemon(Push, Double)
        case atDatabase(Group, Double)
        case written(Group)
        case flushed([Group])
    }

    /// The pushes that wait for one zone's commit at one daemon.
    private struct Queue {
        var waiting: [Push] = []
        var isCommitting = false
    }

    private struct Place: Hashable {
        let zone: Int
        let daemon: Int
    }

    /// The commits that wait for the lock of a zone, behind the one that holds it.
    private var locks: [Int: [Group]] = [:]
    private var queues: [Place: Queue] = [:]
    private var events = EventQueue<Event>()
    private var daemons: [Cores<Push>]
    private var database: Cores<Group>
    private var unflushed: [Group] = []
    private var isFlushing = false
    private var random: SeededNumbers
    private let costs: ScaleCosts
    private let size: CellSize
    /// What has happened.
    private(set) var outcome = CellOutcome()

    init(_ size: CellSize, _ costs: ScaleCosts, seed: UInt64) {
        self.size = size
        self.costs = costs
        random = SeededNumbers(seed: seed)
        daemons = (0..<size.daemons).map { _ in Cores(size.daemonCores) }
        database = Cores(size.databaseCores)
    }

    /// Simulates a time.
    ///
    /// - Parameters:
    ///   - rate: The pushes a second that arrive.
    ///   - zone: Returns the zone of a push.
    mutating func run(
        seconds: Double, rate: Double, zone: (inout SeededNumbers) -> Int
    ) {
        guard rate > 0 else { return }
        events.add(.arrival, at: Power.wait(mean: 1 / rate, &random))
        while let (now, event) = events.next(), now < seconds {
            switch event {
            case .arrival:
                outcome.arrived += 1
                events.add(.arrival, at: now + Power.wait(mean: 1 / rate, &random))
                let daemon = Int.random(in: 0..<size.daemons, using: &random)
                let push = Push(zone: zone(&random), daemon: daemon, start: now)
                if let push = daemons[daemon].take(push) { begin(push, at: now) }
            case .atDaemon(let push, let worked):
                if let next = daemons[push.daemon].end(after: worked) { begin(next, at: now) }
                queues[Place(zone: push.zone, daemon: push.daemon), default: Queue()]
                    .waiting.append(push)
                commit(push.zone, by: push.daemon, at: now)
            case .atDatabase(let group, let worked):
                if let next = database.end(after: worked) { begin(next, at: now) }
                // A commit takes two round trips, in which no core works.
                events.add(.written(group), at: now + 2 * costs.roundTrip)
            case .written(let group):
                unflushed.append(group)
                flush(at: now)
            case .flushed(let groups):
                isFlushing = false
                for group in groups { end(group, at: now) }
                flush(at: now)
            }
        }
        outcome.daemonWork = daemons.reduce(0) { $0 + $1.worked }
        outcome.databaseWork = database.worked
    }

    private mutating func begin(_ push: Push, at now: Double) {
        let work = Power.wait(mean: costs.daemonPush, &random)
        events.add(.atDaemon(push, work), at: now + work)
    }

    private mutating func begin(_ group: Group, at now: Double) {
        let mean = costs.databaseCommit + costs.databasePush * Double(group.pushes.count)
        let work = Power.wait(mean: mean, &random)
        events.add(.atDatabase(group, work), at: now + work)
    }

    /// Begins the next group commit of a zone at a daemon, unless one is under way.
    private mutating func commit(_ zone: Int, by daemon: Int, at now: Double) {
        let place = Place(zone: zone, daemon: daemon)
        guard var queue = queues[place], !queue.isCommitting else { return }
        guard !queue.waiting.isEmpty else {
            queues[place] = nil
            return
        }
        let pushes = Array(queue.waiting.prefix(costs.greatestGroup))
        queue.waiting.removeFirst(pushes.count)
        queue.isCommitting = true
        queues[place] = queue
        let group = Group(zone: zone, daemon: daemon, pushes: pushes)
        if locks[zone] != nil {
            locks[zone]?.append(group)
        } else {
            locks[zone] = []
            if let group = database.take(group) { begin(group, at: now) }
        }
    }

    private mutating func flush(at now: Double) {
        guard !isFlushing, !unflushed.isEmpty else { return }
        isFlushing = true
        outcome.flushes += 1
        events.add(.flushed(unflushed), at: now + costs.flush)
        unflushed = []
    }

    private mutating func end(_ group: Group, at now: Double) {
        outcome.commits += 1
        for push in group.pushes {
            outcome.add(now - push.start + costs.network, of: push.zone)
        }
        if var waiting = locks[group.zone], !waiting.isEmpty {
            let next = waiting.removeFirst()
            locks[group.zone] = waiting
            if let next = database.take(next) { begin(next, at: now) }
        } else {
            locks[group.zone] = nil
        }
        queues[Place(zone: group.zone, daemon: group.daemon)]?.isCommitting = false
        commit(group.zone, by: group.daemon, at: now)
    }
}
