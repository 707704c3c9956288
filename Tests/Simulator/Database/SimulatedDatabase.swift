import AnabranchServer
import TestSupport

/// A database with PostgreSQL's semantics, which several daemons share.
///
/// It keeps its tables on the world's disk, in a SQLite database. A transaction that writes holds
/// the one lock from its beginning to its end. That is the order in which PostgreSQL puts the
/// writers of one zone. A transaction that reads sees one state.
///
/// Any group of statements may find that its connection is lost: before it, so that its
/// transaction is rolled back, or after it, so that only the answer is lost. Both look the same to
/// the daemon. The database may also refuse a group, restart, or fail over to a standby.
final class SimulatedDatabase: @unchecked Sendable {
    /// The fate of a group of statements.
    enum Fate {
        case done
        /// The connection is lost before the group, or after it.
        case lostBefore, lostAfter
        /// The database refuses the group with this SQLSTATE.
        case refused(String)
    }

    let world: SimulatedWorld
    private(set) var path: String
    /// The number of the cluster's timeline. Each failover begins another one.
    private var timeline = 1
    /// Counts the times at which all connections were lost.
    private(set) var life = 0
    /// Whether anything fails.
    var isDisturbed = true
    /// Called before each group of statements, so that other requests run between two groups.
    var interleave: () -> Void = {}
    private(set) var statistics = RunStatistics()
    private var events: [String] = []

    /// Creates a database without tables.
    init(_ world: SimulatedWorld, path: String) {
        self.world = world
        self.path = path
    }

    var history: String { "simulation:\(timeline)" }

    func count(_ event: RunStatistics.Event) {
        statistics.count(event)
        tell(event.rawValue)
    }

    func tell(_ event: String) {
        if world.hasStory { events.append(event) }
    }

    /// - Returns: The events since the last call.
    func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }

    /// Decides what happens to the next group of a client's statements.
    func fate(of client: DatabaseClient) -> Fate {
        guard isDisturbed, client.isDisturbed else { return .done }
        interleave()
        if client.isDead { return .lostBefore }
        if let isAnswered = client.passGroup() {
            return isAnswered ? .lostAfter : .lostBefore
        }
        let period = world.traits.databaseFaultPeriod
        guard period > 0, world.oneIn(period) else { return .done }
        switch world.number(0..<5) {
        case 0, 1: return .lostBefore
        case 2, 3: return .lostAfter
        default: return .refused(world.element(of: ["55P03", "57014", "40001", "40P01"]) ?? "")
        }
    }

    /// Ends all connections, as a restart of the database does. Committed transactions stay.
    func restart() {
        count(.databaseRestart)
        life += 1
    }

    /// Continues on a standby that has all commits.
    func failOver(to copy: String) {
        count(.failover)
        becomeCopy(of: path, at: copy)
    }

    /// Continues on a standby that has only the commits of an earlier time.
    func failOver(toOlder standby: String, at copy: String) {
        count(.lossyFailover)
        becomeCopy(of: standby, at: copy)
    }

    private func becomeCopy(of original: String, at copy: String) {
        world.disk.copy(original, to: copy)
        path = copy
        timeline += 1
        life += 1
    }
}

/// A daemon as the database sees it.
final class DatabaseClient: @unchecked Sendable {
    /// Whether anything fails for this client.
    let isDisturbed: Bool
    private(set) var isDead = false
    /// The number of groups before the one at which the daemon dies, and whether it dies after it.
    private var plan: (left: Int, isAnswered: Bool)?

    init(isDisturbed: Bool) { self.isDisturbed = isDisturbed }

    /// Lets the daemon die at a later group of statements; `nil` cancels that.
    func plan(_ death: CrashPlan.Death?) {
        plan =
            switch death?.point {
            case nil: nil
            case .beforeCommit: (1, false)
            case .afterCommit: (1, true)
            case .operation(let count): (count, count.isMultiple(of: 2))
            }
    }

    /// Counts a group of statements.
    ///
    /// - Returns: If the daemon dies now, whether the group is done before.
    fileprivate func passGroup() -> Bool? {
        guard let (left, isAnswered) = plan else { return nil }
        guard left == 0 else {
            plan?.left = left - 1
            return nil
        }
        plan = nil
        isDead = true
        return isAnswered
    }
}
