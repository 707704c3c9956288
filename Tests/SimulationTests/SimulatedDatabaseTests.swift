import TestSupport
import Testing

@testable import AnabranchServer
@testable import Simulator

/// Tests that the simulated database does what PostgreSQL does.
struct SimulatedDatabaseTests {
    private let database: SimulatedDatabase

    init() throws {
        var scenario = Scenario(seed: 1, storage: .postgres)
        scenario.traits.databaseFaultPeriod = 0
        let world = SimulatedWorld(scenario, hasStory: false)
        database = SimulatedDatabase(world, path: "database")
        _ = try link().run([
            PostgreSQLStatement("CREATE TABLE anabranch.page(number bigint PRIMARY KEY)")
        ])
    }

    private func link(dyingAt point: CrashPlan.Point? = nil) throws -> SimulatedLink {
        let client = DatabaseClient(isDisturbed: true)
        let link = try SimulatedLink(database, client)
        client.plan(point.map { CrashPlan.Death(point: $0, losesPower: false) })
        return link
    }

    private func insert(_ number: Int64) -> PostgreSQLStatement {
        PostgreSQLStatement(
            "INSERT INTO anabranch.page(number) VALUES ($1)", .integer(number), changing: 1)
    }

    private let begin = PostgreSQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED")
    private let beginReading = PostgreSQLStatement(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    private let commit = PostgreSQLStatement("COMMIT")
    private let count = PostgreSQLStatement("SELECT count(*) FROM anabranch.page")

    private func pages(_ link: SimulatedLink) throws -> [UInt8]? {
        try link.run([count])[0].first?.bytes(at: 0)
    }

    private func encoded(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }

    private func isLoss(_ error: any Error) -> Bool {
        (error as? PostgreSQLError)?.isConnectionLost == true
    }

    private func state(of error: any Error) -> String? { (error as? PostgreSQLError)?.state }

    @Test func `a transaction leaves nothing if its connection dies`() throws {
        let dying = try link(dyingAt: .operation(1))
        _ = try dying.run([begin, insert(1)])
        #expect { _ = try dying.run([insert(2), commit]) } throws: { isLoss($0) }
        #expect(dying.isBroken && !dying.isAlive)
        #expect(try pages(link()) == encoded(0))
    }

    @Test func `a commit stays if its answer is lost, and looks the same`() throws {
        let dying = try link(dyingAt: .afterCommit)
        _ = try dying.run([begin, insert(1)])
        #expect { _ = try dying.run([insert(2), commit]) } throws: { isLoss($0) }
        #expect(dying.isBroken)
        #expect(try pages(link()) == encoded(2))
    }

    @Test func `a second writer waits in vain, and a reader sees one state`() throws {
        let (first, second, reader) = try (link(), link(), link())
        _ = try reader.run([beginReading, count])
        _ = try first.run([begin, insert(1)])
        #expect { _ = try second.run([begin, insert(2)]) } throws: { state(of: $0) == "55P03" }
        _ = try first.run([commit])
        #expect(try pages(reader) == encoded(0))
        _ = try reader.run([commit])
        #expect(try pages(reader) == encoded(1))
    }

    @Test func `after a failed statement a transaction refuses all others and rolls back`() throws {
        let writer = try link()
        _ = try writer.run([begin, insert(1)])
        #expect { _ = try writer.run([insert(1)]) } throws: { state(of: $0) == "23505" }
        #expect { _ = try writer.run([insert(2)]) } throws: { state(of: $0) == "25P02" }
        #expect(try writer.run([commit])[0].command == "ROLLBACK")
        #expect(try pages(writer) == encoded(0))
    }

    @Test func `a group outside of a transaction is kept as a whole or not at all`() throws {
        let writer = try link()
        #expect(throws: PostgreSQLError.self) { _ = try writer.run([insert(1), insert(1)]) }
        #expect(try pages(writer) == encoded(0))
    }

    @Test func `a failover ends connections, begins a history and may lose commits`() throws {
        let writer = try link()
        database.world.disk.copy("database", to: "standby")
        _ = try writer.run([insert(1)])
        let history = database.history
        database.failOver(toOlder: "standby", at: "leader")
        #expect { _ = try writer.run([count]) } throws: { isLoss($0) }
        #expect(database.history != history)
        #expect(try pages(link()) == encoded(0))
    }

    @Test func `arrays become lists and tables`() throws {
        let writer = try link()
        let all = PostgreSQLStatement(
            """
            INSERT INTO anabranch.page(number)
            SELECT number FROM unnest($1::bigint[], $2::bytea[]) AS new(number, bytes)
            """, .integers([1, 2, 3]), .blobs([[1], nil, [3]]), changing: 3)
        _ = try writer.run([all])
        let some = PostgreSQLStatement(
            "SELECT number FROM anabranch.page WHERE number = ANY($1) ORDER BY number",
            .integers([3, 4, 1]))
        #expect(try writer.run([some])[0].map { $0.bytes(at: 0) } == [encoded(1), encoded(3)])
        let deletion = PostgreSQLStatement(
            """
            DELETE FROM anabranch.page AS p USING unnest($1::bigint[]) AS k(number)
            WHERE p.number = k.number
            """, .integers([2, 9]), changing: 1)
        _ = try writer.run([deletion])
        #expect(try pages(writer) == encoded(2))
    }
}
