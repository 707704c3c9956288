import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// A damaged file fails the requests that read the damage, and nothing else of the server.
@Suite struct DamagedZoneTests {
    private static let notes = WireProperty(name: "notes", type: .string, rule: .keepBoth)

    /// A zone with every kind of row, closed, so that its file is complete.
    private struct Sample {
        let directory: TemporaryDirectory
        let epoch: EpochID
        let records: [RecordID]
        let later: ChangeSet

        var path: String { directory.file("zone.sqlite") }

        init() throws {
            directory = try TemporaryDirectory("damaged")
            var author = TestAuthor(1)
            var other = TestAuthor(2)
            let people = (0..<20).map { author.insertPerson("person \($0)") }
            records = people.map(\.1)
            var sets = people.map(\.0)
            sets.append(
                author.save(zip(records, records.dropFirst()).map { .befriend($0.0, $0.1) }))
            sets.append(
                author.save([
                    .write(
                        SiblingBlock(
                            entity: "Person", property: notes,
                            writes: [
                                .init(record: records[3], value: .string("a"), observedTags: [])
                            ])),
                    .yieldingDelete(
                        YieldingDeleteBlock(
                            entity: "Person",
                            deletes: [
                                .init(record: records[4], stampsSeen: [people[4].0.stamp])
                            ])),
                ]))
            sets.append(other.insertPerson("Eve").0)
            later = author.save([.rename(records[5], to: "later"), .delete(records[6])])
            let zone = try Self.open(directory.file("zone.sqlite"))
            defer { zone.close() }
            epoch = try zone.head().epoch
            let answer = try zone.push(
                PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() }))
            #expect(
                answer.refusal == nil && answer.acknowledgements.allSatisfy { $0.rejection == nil })
        }

        static func open(_ path: String) throws -> ZoneService {
            ZoneService(
                name: try ZoneName("test"),
                storage: try SQLiteZoneStorage(path: path, creating: true) {
                    EpochID(high: 0xE, low: 0xE)
                }, wallMilliseconds: { 1_700_000_000_000 })
        }

        /// Sends every kind of request. A trap ends the test's process.
        ///
        /// - Returns: The errors.
        func use() throws -> [String: ProtocolError] {
            let zone = try Self.open(path)
            defer { zone.close() }
            let replica = records[0].replica
            var errors: [String: ProtocolError] = [:]
            func attempt(_ name: String, _ request: () throws(ProtocolError) -> Void) {
                do throws(ProtocolError) { try request() } catch { errors[name] = error }
            }
            attempt("hello") { () throws(ProtocolError) in
                _ = try zone.hello(
                    HelloRequest(
                        replica: replica, last: nil, cursor: nil,
                        wallMilliseconds: 1_700_000_000_000))
            }
            attempt("pull") { () throws(ProtocolError) in
                _ = try zone.pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
            }
            attempt("checksums") { () throws(ProtocolError) in
                _ = try zone.checksums(ChecksumsRequest(epoch: epoch, ranges: [.all]))
            }
            attempt("repair") { () throws(ProtocolError) in
                _ = try zone.repair(RepairRequest(epoch: epoch, records: records))
            }
            attempt("hash") { () throws(ProtocolError) in _ = try zone.canonicalHash() }
            attempt("snapshot") { () throws(ProtocolError) in
                _ = try zone.snapshot(SnapshotRequest(snapshot: nil, number: 0))
            }
            attempt("amounts") { () throws(ProtocolError) in _ = try zone.amounts() }
            attempt("push") { () throws(ProtocolError) in
                _ = try zone.push(PushRequest(epoch: epoch, changeSets: [later.encoded()]))
            }
            attempt("compact") { () throws(ProtocolError) in _ = try zone.compact(keeping: 2) }
            attempt("verify") { () throws(ProtocolError) in _ = try zone.verify(repairing: true) }
            return errors
        }
    }

    /// Each statement makes a stored number or name one that no zone has.
    @Test(
        arguments: [
            ("UPDATE zone SET bytes = 9223372036854775807", "hello"),
            ("UPDATE zone SET bytes = -9223372036854775807 - 1", "hello"),
            ("UPDATE zone SET records = 9223372036854775807", "amounts"),
            ("UPDATE zone SET day_bytes = 9223372036854775807", "push"),
            ("UPDATE replica SET ordinal = 9223372036854775807 WHERE ordinal = 1", "amounts"),
            ("UPDATE replica SET ordinal = -5 WHERE ordinal = 1", "hash"),
            ("UPDATE record SET author = -1 WHERE key = 3", "hash"),
            ("UPDATE record SET author = 4611686018427387904 WHERE key = 3", "snapshot"),
            ("UPDATE record SET entity = -1 WHERE key = 3", "hash"),
            ("UPDATE record SET cells = x'05' WHERE key = 3", "hash"),
            ("UPDATE log SET position = 0 WHERE position = 1", nil),
            ("UPDATE record SET cells = x'05' WHERE key = 6", "push"),
            ("UPDATE property SET number = -7 WHERE number = 1", "hash"),
        ] as [(String, String?)])
    func `a damaged number fails the requests that read it`(
        sql: String, failing: String?
    ) throws {
        let sample = try Sample()
        do {
            let connection = try Connection(path: sample.path)
            defer { connection.close() }
            try connection.execute(sql)
            #expect(connection.changes > 0)
        }
        let errors = try sample.use()
        guard let failing else { return }
        #expect(errors[failing]?.code == .internalError)
        #expect(errors[failing]?.details["cause"]?.contains("damaged") == true)
    }

    @Test(arguments: UInt64(0)..<8)
    func `a damaged byte of a zone's file never ends the server`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sample = try Sample()
        let whole = try Data(contentsOf: URL(filePath: sample.path))
        for _ in 0..<24 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<whole.count, using: &generator)
                damaged[place] = UInt8.random(in: 0...255, using: &generator)
            }
            for suffix in ["-wal", "-shm", ".snapshots", ".snapshots-wal", ".snapshots-shm"] {
                try? FileManager.default.removeItem(atPath: sample.path + suffix)
            }
            try damaged.write(to: URL(filePath: sample.path))
            // A file that can't be opened at all is an error too.
            _ = try? sample.use()
        }
    }
}
