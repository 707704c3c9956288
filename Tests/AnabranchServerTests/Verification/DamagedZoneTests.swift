import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// A damaged file fails the requests that read the damage, and nothing else of the server.
@Suite struct DamagedZoneTests {
    /// A zone in a file of its own, closed, so that the file is complete.
    private struct Sample {
        let directory: TemporaryDirectory
        let requests: EveryRequest

        var path: String { directory.file("zone.sqlite") }

        init() throws {
            directory = try TemporaryDirectory("damaged")
            let zone = try Self.open(directory.file("zone.sqlite"))
            defer { zone.close() }
            requests = try EveryRequest(filling: zone)
        }

        /// - Parameter epoch: The epoch of a new file, or of one that is a copy.
        static func open(_ path: String, epoch: UInt64 = 0xE) throws -> ZoneService {
            ZoneService(
                name: try ZoneName("test"),
                storage: try SQLiteZoneStorage(path: path, creating: true) {
                    EpochID(high: epoch, low: epoch)
                }, wallMilliseconds: { 1_700_000_000_000 })
        }

        func isValid() throws -> Bool {
            let zone = try Self.open(path, epoch: 0xF)
            defer { zone.close() }
            return try zone.verify().isValid
        }

        /// - Returns: The errors of requests on the file.
        func run() throws -> [String: ProtocolError] {
            let zone = try Self.open(path)
            defer { zone.close() }
            return requests.run(zone)
        }

        /// Writes the zone's file, and removes those beside it.
        func write(_ content: Data) throws {
            for suffix in ["-wal", "-shm", ".snapshots", ".snapshots-wal", ".snapshots-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            try content.write(to: URL(filePath: path))
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
        let errors = try sample.run()
        guard let failing else { return }
        #expect(errors[failing]?.code == .internalError)
        #expect(errors[failing]?.details["cause"]?.contains("damaged") == true)
    }

    /// With `UPDATE_GOLDEN=1` a file that is not whole is replaced.
    @Test func `the zone's file that the fuzzer damages is whole`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Benchmarks/Fuzz/zones/sample.sqlite")
        let sample = try Sample()
        let new = try Data(contentsOf: URL(filePath: sample.path))
        try sample.write(Data(contentsOf: file))
        if Golden.isUpdating, try !sample.isValid() {
            try new.write(to: file)
            try sample.write(new)
        }
        #expect(try sample.isValid())
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
            try sample.write(damaged)
            // A file that can't be opened at all is an error too.
            _ = try? sample.run()
        }
    }

    /// The hostile values are divided among this many runs of the test.
    private static let divisor: UInt64 = 64

    @Test(arguments: TestLength.seeds(divisor))
    func `a hostile value in any column never ends the server`(part: UInt64) throws {
        let sample = try Sample()
        let whole = try Data(contentsOf: URL(filePath: sample.path))
        let all = try Self.using(sample.path) { try StoredDamage.all(in: $0) }
        for (number, damage) in all.enumerated() where UInt64(number) % Self.divisor == part {
            try sample.write(whole)
            guard try Self.using(sample.path, { try? damage.apply(to: $0) }) == true else {
                continue
            }
            _ = try? sample.run()
        }
    }

    private static func using<Result>(
        _ path: String, _ body: (Connection) throws -> Result
    ) throws -> Result {
        let connection = try Connection(path: path)
        defer { connection.close() }
        return try body(connection)
    }
}
