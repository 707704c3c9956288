import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of two daemons on a database that continues without its last commits.
@Suite(.needsPostgreSQL) struct LossyFailoverTests {
    /// Makes the zone as empty as it was when it was made, in another database.
    private func loseEverything(in place: PostgreSQLPlace) throws {
        let zone = PostgreSQLValue.text(place.zone)
        let tables = ["log", "record", "link", "replica", "entity", "property"]
        let deletions = tables.map {
            PostgreSQLStatement("DELETE FROM anabranch.\($0) WHERE zone = $1", zone)
        }
        let emptying = PostgreSQLStatement(
            """
            UPDATE anabranch.zone SET history = 'another', position = 0, running = $2, greatest = 0,
                start = 0, checksum = $3, replicas = 0, entities = 0, properties = 0,
                bytes = 0, records = 0
            WHERE zone = $1
            """, zone, .bytes(ReplicaID(high: 0, low: 0).bytes), .bytes(StateChecksum.zero.bytes),
            changing: 1)
        try place.pool.withSession { _ = try $0.run(deletions + [emptying]) }
    }

    @Test func `a daemon forgets the numbers of names that a failover has lost`() throws {
        let zone = try TestZone(.postgreSQL)
        let place = try #require(zone.place as? PostgreSQLPlace)
        let other = ZoneService(
            name: try ZoneName("test"), storage: try place.open(greatestOrdinal: nil),
            wallMilliseconds: zone.clock)
        func pushToOther(_ set: ChangeSet) throws -> PushAnswer {
            try other.push(
                PushRequest(epoch: try other.head().epoch, changeSets: [set.encoded()]))
        }
        var (lost, kept) = (TestAuthor(1), TestAuthor(2))
        let (first, _) = lost.insertPerson()
        #expect(try pushToOther(first).acknowledgements.map(\.position) == [1])
        try loseEverything(in: place)

        // One daemon begins the epoch and gives the lost numbers to another author.
        #expect(try zone.push(kept.insertPerson().0).acknowledgements.map(\.position) == [1])
        // The other one gets back what was lost.
        #expect(try pushToOther(first).acknowledgements.map(\.position) == [2])
        #expect(try zone.pullAll().sets.map(\.dot.replica) == [kept.replica, lost.replica])
        #expect(try zone.records().count == 2)
        #expect(try other.verify().isValid)
    }
}
