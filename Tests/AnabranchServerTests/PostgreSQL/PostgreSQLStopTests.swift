import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of what a stop ends in a database, and of the order in which connections are given.
@Suite(.needsPostgreSQL) struct PostgreSQLStopTests {
    private let location: PostgreSQLLocation

    init() throws { location = try PostgreSQLLocation(PartitionedDatabase.make()) }

    /// A zone in a back end that stops by itself, with waits that would end much later.
    private func zone(_ options: PostgreSQLPool.Options) throws -> (PostgreSQLBackEnd, OpenZones) {
        let backEnd = try PostgreSQLBackEnd(location, options: options, environment: .system)
        try backEnd.makeZone(try ZoneName("test"))
        return (
            backEnd,
            OpenZones(
                backEnd, limits: ZoneLimits(),
                wallMilliseconds: ServerEnvironment.system.wallMilliseconds)
        )
    }

    private static var patient: PostgreSQLPool.Options {
        var options = PostgreSQLPool.Options()
        options.patience = .seconds(600)
        options.statementTimeout = .seconds(600)
        options.lockTimeout = .seconds(600)
        return options
    }

    @Test func `a stop ends the wait for a lock that another daemon holds`() throws {
        let (backEnd, zones) = try zone(Self.patient)
        defer { backEnd.close() }
        let name = try ZoneName("test")
        let service = try zones.retain(name)
        let epoch = try service.head().epoch
        let other = try PostgreSQLConnection(location, timeout: .seconds(60))
        try other.run(PostgreSQLStatement("BEGIN"))
        try other.run(PostgreSQLStatement("SELECT 1 FROM anabranch.zone FOR UPDATE"))
        zones.beginStop(allowing: .milliseconds(300))
        var author = TestAuthor(1)
        let error = #expect(throws: ProtocolError.self) {
            try service.push(
                PushRequest(epoch: epoch, changeSets: [author.insertPerson().0.encoded()]))
        }
        #expect(error?.code == .shuttingDown)
        try other.run(PostgreSQLStatement("COMMIT"))
        // Later requests fail at once, and closing the zone does not wait for the lock either.
        #expect(throws: ProtocolError.self) { try zones.retain(name) }
        zones.close()
        let (next, nextZones) = try self.zone(.init())
        defer { next.close() }
        #expect(try nextZones.retain(name).head().position == 0)
    }

    @Test func `a stop ends a statement, and the database ends it too`() throws {
        let pool = PostgreSQLPool(location, options: Self.patient)
        defer { pool.close() }
        let session = Mutex(Int64(0))
        let error = #expect(throws: StorageError.self) {
            try pool.withSession { open in
                session.withLock {
                    $0 =
                        (try? open.run(PostgreSQLStatement("SELECT pg_backend_pid()")))?.first?
                        .int64(at: 0) ?? 0
                }
                pool.options.stop.begin(allowing: .milliseconds(200))
                _ = try open.run(PostgreSQLStatement("SELECT pg_sleep(600)"))
            }
        }
        #expect(error?.code == .closed)
        #expect(pool.counts == (open: 0, idle: 0))
        let watcher = try PostgreSQLConnection(location, timeout: .seconds(60))
        let number = PostgreSQLValue.integer(session.withLock { $0 })
        var runs = true
        for _ in 0..<600 where runs {
            runs =
                try watcher.run(
                    PostgreSQLStatement(
                        "SELECT 1 FROM pg_stat_activity WHERE pid::bigint = $1", number)
                ).first != nil
            if runs { usleepShortly() }
        }
        #expect(!runs, "the database still runs the statement")
    }

    @Test func `a stop ends the wait for a connection`() throws {
        var options = Self.patient
        options.connections = 1
        let pool = PostgreSQLPool(location, options: options)
        defer { pool.close() }
        let error = #expect(throws: StorageError.self) {
            try pool.withSession { _ in
                options.stop.begin(allowing: .milliseconds(200))
                try pool.withSession { _ in }
            }
        }
        #expect(error?.code == .closed)
    }

    @Test func `connections are given in the order in which they are asked for`() throws {
        var options = Self.patient
        options.connections = 1
        let pool = PostgreSQLPool(location, options: options)
        defer { pool.close() }
        let order = Mutex<[Int]>([])
        var threads: [DispatchGroup] = []
        try pool.withSession { _ in
            for number in 0..<8 {
                threads.append(
                    startThreads(1) { _ in
                        try? pool.withSession { _ in order.withLock { $0.append(number) } }
                    })
                while pool.waitingCount <= number { usleepShortly() }
            }
        }
        for thread in threads { thread.wait() }
        #expect(order.withLock { $0 } == Array(0..<8))
    }

    @Test func `long reads of one zone leave connections to others`() throws {
        let (backEnd, zones) = try zone(.init())
        defer { backEnd.close() }
        let name = try ZoneName("test")
        let storage = try zones.retain(name).storage
        let reading = Mutex(0)
        let slot = CheckedSlot()
        let threads = startThreads(16) { _ in
            try? storage.read { _ in
                reading.withLock { $0 += 1 }
                slot.wait()
            }
        }
        while reading.withLock({ $0 }) < 4 { usleepShortly() }
        // A push to the zone and requests to others go on.
        try storage.write { _ in }
        try backEnd.makeZone(try ZoneName("other"))
        _ = try zones.retain(try ZoneName("other")).head()
        #expect(reading.withLock { $0 } == 4)
        for _ in 0..<16 { slot.open() }
        threads.wait()
        #expect(reading.withLock { $0 } == 16)
        zones.close()
    }
}
