import AnabranchReplication
import AnabranchSQLite

/// The table `ab_waiting`: change sets of bundles that wait for their causes.
///
/// Each names one missing change set, and is checked again when that arrives.
struct WaitingChangeSets {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    var isEmpty: Bool {
        get throws { try connection.firstValue("SELECT 1 FROM ab_waiting LIMIT 1") == nil }
    }

    /// Adds a change set that waits.
    ///
    /// - Parameter set: A change set with a context that names everything its author had seen.
    func add(_ set: ChangeSet, lacking dot: Dot) throws {
        try connection.run(
            """
            INSERT OR REPLACE INTO ab_waiting (origin, replica, seq, lacks, lacks_seq, bytes)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .blob(set.origin.bytes), .blob(set.dot.replica.bytes),
            .integer(Int64(bitPattern: set.dot.sequence)), .blob(dot.replica.bytes),
            .integer(Int64(bitPattern: dot.sequence)), .blob(set.encoded()))
    }

    /// Records that a change set now waits for another one.
    func move(_ set: ChangeSet, lacking dot: Dot) throws {
        try connection.run(
            "UPDATE ab_waiting SET lacks = ?, lacks_seq = ? WHERE origin = ?",
            .blob(dot.replica.bytes), .integer(Int64(bitPattern: dot.sequence)),
            .blob(set.origin.bytes))
    }

    func remove(_ origin: Digest) throws {
        try connection.run("DELETE FROM ab_waiting WHERE origin = ?", .blob(origin.bytes))
    }

    /// The change sets that have waited for one that is now held.
    func sets(lacking dot: Dot) throws -> [ChangeSet] {
        let statement = try connection.cached(
            "SELECT bytes FROM ab_waiting WHERE lacks = ? AND lacks_seq = ? ORDER BY rowid",
            dot.replica.bytes, Int64(bitPattern: dot.sequence))
        return try read(statement)
    }

    /// All origins, in the order in which the change sets arrived.
    func origins() throws -> [Digest] {
        let statement = try connection.cached("SELECT origin FROM ab_waiting ORDER BY rowid")
        var origins: [Digest] = []
        while try statement.step() {
            if let origin = Digest(bytes: statement.bytes(at: 0)) { origins.append(origin) }
        }
        return origins
    }

    func set(_ origin: Digest) throws -> ChangeSet? {
        let statement = try connection.cached(
            "SELECT bytes FROM ab_waiting WHERE origin = ?", origin.bytes)
        return try read(statement).first
    }

    private func read(_ statement: Statement) throws -> [ChangeSet] {
        var sets: [ChangeSet] = []
        while try statement.step() { sets.append(try ChangeSet(decoding: statement.bytes(at: 0))) }
        return sets
    }
}

extension StoreReader {
    /// The number of change sets of bundles that wait for their causes.
    package func waitingCount() throws -> Int {
        guard
            case .integer(let count)? = try connection.firstValue("SELECT count(*) FROM ab_waiting")
        else { return 0 }
        return Int(count)
    }
}
