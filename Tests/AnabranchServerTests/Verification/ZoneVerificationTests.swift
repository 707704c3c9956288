import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the errors that a zone finds in itself and repairs.
@Suite struct ZoneVerificationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("verification") }

    private var path: String { directory.file("zone.sqlite") }

    private func open() throws -> ZoneService {
        let storage = try SQLiteZoneStorage(path: path, creating: true) {
            EpochID(high: 0xE, low: 0xE)
        }
        return ZoneService(
            name: try ZoneName("test"), storage: storage,
            wallMilliseconds: { 1_700_000_000_000 })
    }

    /// Inserts people with links between them, and renames some.
    private func fill(_ zone: ZoneService) throws {
        var author = TestAuthor(1)
        let people = (0..<30).map { author.insertPerson("person \($0)") }
        var sets = people.map(\.0)
        sets.append(
            author.save(zip(people, people.dropFirst()).map { .befriend($0.1, $1.1) }))
        sets.append(author.save(people.prefix(5).map { .rename($0.1, to: "renamed") }))
        sets.append(author.save([.delete(people[7].1)]))
        let response = try zone.push(
            PushRequest(epoch: zone.head().epoch, changeSets: sets.map { $0.encoded() }))
        #expect(response.refusal == nil && response.acknowledgements.count == sets.count)
    }

    private func damage(_ sql: String) throws {
        let connection = try Connection(path: path)
        defer { connection.close() }
        try connection.execute(sql)
        #expect(connection.changes > 0)
    }

    @Test(arguments: [
        "UPDATE record SET cells = CAST(replace(CAST(cells AS TEXT), 'person', 'persom') AS BLOB)"
            + " WHERE key = 12",
        "UPDATE record SET cells = x'FF' WHERE key = 13",
        "UPDATE record SET timestamp = timestamp + 1 WHERE key = 9",
        "UPDATE record SET entity = 77 WHERE key = 9",
        "DELETE FROM record WHERE key = 14",
        "INSERT INTO record SELECT 999, entity, timestamp, author, cells, seen, dead FROM record"
            + " WHERE key = 3",
        "DELETE FROM link WHERE left = 15",
        "UPDATE link SET right = right + 3 WHERE left = 20",
        "DELETE FROM link; DELETE FROM record WHERE key > 10",
        "UPDATE zone SET checksum = zeroblob(40)", "UPDATE zone SET bytes = 0",
        "UPDATE zone SET records = records + 1",
    ])
    func `differences from the log are found and repaired`(sql: String) throws {
        var zone = try open()
        try fill(zone)
        let hash = try zone.canonicalHash().hash
        #expect(try zone.verify().isValid)
        zone.close()
        try damage(sql)
        zone = try open()
        defer { zone.close() }
        let found = try zone.verify()
        #expect(!found.isValid && !found.isRepaired && found.damage.isEmpty)
        #expect(sql.contains("zone") == (found.differences ?? []).isEmpty)
        let repaired = try zone.verify(repairing: true)
        #expect(repaired.isRepaired && repaired.differences == found.differences)
        #expect(try zone.verify().isValid)
        #expect(try zone.canonicalHash().hash == hash)
    }

    @Test func `a compacted log is not compared with the state`() throws {
        let zone = try open()
        defer { zone.close() }
        try fill(zone)
        _ = try zone.compact(keeping: 2)
        let found = try zone.verify()
        #expect(found.isValid && found.differences == nil && found.isChecksumRight)
        try damage("UPDATE record SET timestamp = timestamp + 1 WHERE key = 9")
        #expect(try !zone.verify().isChecksumRight)
    }

    /// A copy of an earlier state was put in the file's place, and the log of pages stayed.
    @Test func `an older file beside a newer log of pages is reported`() throws {
        var zone = try open()
        try fill(zone)
        zone.close()
        let older = try Data(contentsOf: URL(filePath: path))
        zone = try open()
        var author = TestAuthor(2)
        for number in 0..<600 {
            let set = author.insertPerson("later \(number)").0
            _ = try zone.push(
                PushRequest(epoch: zone.head().epoch, changeSets: [set.encoded()]))
        }
        let pages = try Data(contentsOf: URL(filePath: path + "-wal"))
        zone.close()
        try older.write(to: URL(filePath: path))
        try pages.write(to: URL(filePath: path + "-wal"))
        let error = #expect(throws: (any Error).self) {
            let opened = try open()
            defer { opened.close() }
            let found = try opened.verify()
            guard found.isValid else {
                throw StorageError(.damaged, found.damage.joined(separator: "\n"))
            }
        }
        let told = (error as? ProtocolError)?.operatorMessage ?? error.map { "\($0)" } ?? ""
        #expect(told.contains("\(path)-wal belongs to another state of it"))
    }

    @Test func `a file that SQLite finds damaged is reported`() throws {
        var zone = try open()
        try fill(zone)
        zone.close()
        try spoilIndex("link_right", ofFileAt: path)
        zone = try open()
        defer { zone.close() }
        let found = try zone.verify()
        #expect(!found.damage.isEmpty && !found.isValid)
        #expect(try !zone.verify(repairing: true).isRepaired)
    }
}
