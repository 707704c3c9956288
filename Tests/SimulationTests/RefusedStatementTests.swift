import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer
@testable import Simulator

/// Tests of a zone in a database that refuses a group of statements.
struct RefusedStatementTests {
    private let refusal = Refusal()
    private let zone: ZoneService

    init() throws {
        var scenario = Scenario(seed: 1, storage: .postgres)
        scenario.traits.databaseFaultPeriod = 0
        let world = SimulatedWorld(scenario, hasStory: false)
        let database = SimulatedDatabase(world, path: "database")
        let client = DatabaseClient(isDisturbed: false)
        let refusal = refusal
        var options = PostgreSQLPool.Options()
        options.connect = { _, _, _ in RefusingLink(try SimulatedLink(database, client), refusal) }
        let backEnd = try PostgreSQLBackEnd(
            try PostgreSQLLocation("postgres://simulation/zones"), options: options,
            environment: ServerEnvironment(
                wallMilliseconds: { world.milliseconds }, randomBytes: { world.bytes($0) }))
        let name = try ZoneName("family")
        try backEnd.makeZone(name)
        zone = ZoneService(
            name: name, storage: try backEnd.open(name),
            wallMilliseconds: { world.milliseconds })
    }

    private func push() throws -> PushAnswer {
        let author = ReplicaID(high: 2, low: 2)
        let rows = RowBlock(
            entity: "Person", records: [RecordID(replica: author, number: 1)],
            properties: [WireProperty(name: "name", type: .string)], columns: [["Ada"]])
        // The parts of a save are written at once, in a part of the transaction.
        let payload = ChangePayload(blocks: [.insert(rows)]).encoded(author: author)
        let part = SavePart(of: payload)
        _ = try zone.stage(StageRequest(part: part, start: 0, bytes: payload))
        let set = ChangeSet(
            saving: PartList([part]).encoded(), as: .saveInParts,
            dot: Dot(replica: author, sequence: 1),
            timestamp: HybridTimestamp(wallMilliseconds: 1_000, counter: 0),
            previousOrigin: .zero, context: CausalContext())
        return try zone.push(
            PushRequest(epoch: try zone.head().epoch, changeSets: [set.encoded()]))
    }

    @Test func `a push is repeated if the part of a change set can't be begun`() throws {
        refusal.state = "40001"
        #expect(try push().acknowledgements.map(\.position) == [1])
        #expect(try refusal.state == nil && zone.verify().isValid)
    }

    @Test func `a client is asked to try again if the database is busy`() throws {
        refusal.state = "55P03"
        let error = #expect(throws: ProtocolError.self) { _ = try push() }
        #expect(error?.code == .overloaded)
        #expect(try push().acknowledgements.map(\.position) == [1])
    }
}

/// The SQLSTATE with which the next part of a transaction is refused.
private final class Refusal: @unchecked Sendable {
    var state: String?
}

/// A connection that refuses the group which begins a part of a transaction, so that the part does
/// not exist.
private final class RefusingLink: PostgreSQLLink {
    private let link: SimulatedLink
    private let refusal: Refusal

    init(_ link: SimulatedLink, _ refusal: Refusal) {
        self.link = link
        self.refusal = refusal
    }

    var isAlive: Bool { link.isAlive }
    var isBroken: Bool { link.isBroken }
    func abandon() { link.abandon() }

    func run(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        if let state = refusal.state, statements.contains(where: { $0.sql == "SAVEPOINT part" }) {
            refusal.state = nil
            throw PostgreSQLError("The database refused a statement.", state: state)
        }
        return try link.run(statements)
    }

    func notifications(within time: Duration) throws -> [PostgreSQLNotification] { [] }
}
