import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of daemons that go on after a failover in which the database lost its last commits.
@Suite(.needsPostgreSQL) struct LostCommitsTests {
    private let place: PostgreSQLPlace
    private let copy = "copy_" + UUID().uuidString.lowercased().replacing("-", with: "")

    private static let tables = [
        "zone", "replica", "acknowledgement", "log", "entity", "property", "record", "link",
    ]

    init() throws { place = try PostgreSQLPlace() }

    private func run(_ sql: [String]) throws {
        _ = try place.pool.withSession { try $0.run(sql.map { PostgreSQLStatement($0) }) }
    }

    /// Keeps the zone's rows as they are, as a standby does that gets nothing more.
    private func copyRows() throws {
        try run(
            ["CREATE SCHEMA \(copy)"]
                + Self.tables.map {
                    """
                    CREATE TABLE \(copy).\($0) AS SELECT * FROM anabranch.\($0)
                    WHERE zone = '\(place.zone)'
                    """
                })
    }

    /// Replaces the zone's rows by those that were kept, as a standby does that takes over.
    private func failOver() throws {
        try run(
            Self.tables.flatMap {
                [
                    "DELETE FROM anabranch.\($0) WHERE zone = '\(place.zone)'",
                    "INSERT INTO anabranch.\($0) SELECT * FROM \(copy).\($0)",
                ]
            } + ["DROP SCHEMA \(copy) CASCADE"])
        try place.replaceByCopy()
    }

    private func daemon() throws -> ZoneService {
        ZoneService(
            name: try ZoneName("test"), storage: try place.open(),
            wallMilliseconds: { 1_700_000_000_000 })
    }

    private func push(_ set: ChangeSet, at daemon: ZoneService) throws {
        let request = PushRequest(epoch: try daemon.head().epoch, changeSets: [set.encoded()])
        let response = try daemon.push(request)
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.count == 1)
    }

    private func update(_ record: RecordID, _ property: String) -> ChangeBlock {
        .update(
            RowBlock(
                entity: "Person", records: [record],
                properties: [WireProperty(name: WireName(property), type: .string)],
                columns: [[.string("value of \(property)")]]))
    }

    /// The property that was lost and the first new one have the same number.
    @Test func `a daemon forgets numbers of names that the database has lost`() throws {
        let daemons = [try daemon(), try daemon()]
        var author = TestAuthor(1)
        let (first, record) = author.insertPerson()
        for daemon in daemons { try push(first, at: daemon) }
        try copyRows()
        let lost = author.save([update(record, "nickname")])
        try push(lost, at: daemons[1])
        try failOver()
        // The other daemon writes first, so it begins the epoch and gives the number to a property.
        var other = TestAuthor(2)
        let (second, otherRecord) = other.insertPerson()
        try push(second, at: daemons[0])
        try push(other.save([update(otherRecord, "street")]), at: daemons[0])
        try push(lost, at: daemons[1])
        #expect(try daemons[0].verify().isValid)
        let records = try daemons[1].storage.read { reader in
            var records: [RecordID: CanonicalRecord] = [:]
            try reader.forEachRecord { records[$0.id] = $0 }
            return records
        }
        let names = try #require(records[record]).cells.map(\.property.name.string)
        #expect(Set(names) == ["age", "name", "nickname"])
    }
}
