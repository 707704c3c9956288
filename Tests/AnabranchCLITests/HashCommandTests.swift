import AnabranchSQLite
import Foundation
import TestSupport
import Testing

/// The canonical hash of damaged files, for which the programs name the cause.
@Suite(.waiting) struct HashCommandTests {
    private static func damage(_ path: String, _ sql: String) throws {
        let connection = try Connection(path: path)
        defer { connection.close() }
        try connection.execute(sql)
        #expect(connection.changes > 0)
    }

    @Test(
        arguments: [
            ("UPDATE Country SET ab_writes = x'FFFFFF' WHERE code = 'DE'", "can't be decoded"),
            ("UPDATE Country SET ab_version = -1", "no change set wrote the row"),
            ("UPDATE ab_changeset SET hlc = -5", "'hlc' has the number -5"),
            ("UPDATE ab_changeset SET replica = -5", "'replica' has the number -5"),
            ("UPDATE ab_replica SET id = x'0102'", "the ID of its replica 0 is damaged"),
            ("UPDATE ab_replica SET ordinal = 5", "the ID of its replica 0 is damaged"),
            ("UPDATE ab_state SET head_seen = -1, reserved = 99", "'head_seen' has the number -1"),
            ("UPDATE ab_state SET next_number = 0", "next record number is 0"),
            (
                "UPDATE ab_state SET reserved = 9223372036854775807",
                "'reserved' has the number 92233720368547"
            ),
            ("UPDATE ab_entity SET number = -1 WHERE name = 'City'", "'number' has the number -1"),
            ("DELETE FROM ab_entity WHERE name = 'City'", "number of entity 'City' is missing"),
            (
                "DELETE FROM ab_property WHERE name = 'area'",
                "number of property 'area' of entity 'City' is missing"
            ),
            ("DELETE FROM ab_changeset", "the log has no entry"),
        ] as [(String, String)])
    func `the hash of a damaged store is refused with the cause`(
        sql: String, cause: String
    ) throws {
        let bench = try Workbench()
        _ = try bench.run("insert", "Country", "code=FR", "name=France")
        _ = try bench.run("insert", "Country", "code=DE", "name=Germany")
        try Self.damage(bench.store, sql)
        let run = try bench.run("hash")
        #expect(run.status == 65, "\(run.status)")
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("anabranch: Can't "))
        #expect(run.errors.contains(cause), "\(run.errors)")
    }

    @Test(
        arguments: [
            ("UPDATE record SET cells = x'05'", "because the bytes end too early"),
            ("UPDATE record SET author = -1", "a replica has the ordinal -1"),
            ("UPDATE record SET entity = -1", "it has the number -1"),
            ("UPDATE replica SET ordinal = 9223372036854775807", "a replica has the ordinal 92233"),
            ("UPDATE replica SET id = x'0102'", "a name is not 16 bytes"),
        ] as [(String, String)])
    func `the hash of a damaged zone is refused with the cause`(
        sql: String, cause: String
    ) throws {
        let bench = try Workbench()
        _ = try bench.run("insert", "Country", "code=FR", "name=France")
        let daemon = try RunningDaemon(zone: "geo")
        let synced = try bench.run(
            "sync", "--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile)
        #expect(synced.status == 0, "\(synced.errors)")
        #expect(try daemon.change(sql) > 0)
        let run = try daemon.run("zone", "hash", "geo")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("anabranchd: "))
        #expect(run.errors.contains(cause), "\(run.errors)")
    }
}
