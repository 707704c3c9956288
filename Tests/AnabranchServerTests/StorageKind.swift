import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// The back ends with which every conformance test runs.
enum StorageKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    /// The kinds that can be tested here.
    static let allCases: [StorageKind] =
        PostgreSQLCluster.obstacle == nil ? [.sqlite, .postgreSQL] : [.sqlite]

    /// The kind for which the test runs that has the trait `everyStore`.
    @TaskLocal static var current = StorageKind.sqlite

    var testDescription: String { rawValue }

    func makePlace() throws -> any StoragePlace {
        switch self {
        case .sqlite: try SQLitePlace()
        case .postgreSQL: try PostgreSQLPlace()
        }
    }
}

/// Runs each test once for every kind of store.
struct EveryStore: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite has no case, and its tests have this trait too.
        guard testCase != nil else { return try await body() }
        for kind in StorageKind.allCases {
            try await StorageKind.$current.withValue(kind) { try await body() }
        }
    }
}

extension Trait where Self == EveryStore {
    /// Runs each test once for every kind of store.
    static var everyStore: Self { EveryStore() }
}

/// The storage of a test's zones, with the faults that it can have.
protocol StoragePlace: AnyObject {
    /// Opens the zone and creates it if necessary. Every call opens it again.
    func open(greatestOrdinal: Int64?) throws -> any ZoneStorage
    /// Replaces the zone by a copy, as a restore from a backup does. The zone must be closed.
    func replaceByCopy() throws
    /// Makes the process die in one of the next transactions of a storage that ``open`` returned.
    func setFaults(_ faults: TransactionFaults?, of storage: any ZoneStorage)
}

extension StoragePlace {
    func open() throws -> any ZoneStorage { try open(greatestOrdinal: nil) }
}

final class SQLitePlace: StoragePlace {
    private let directory: TemporaryDirectory
    private var random = SeededGenerator(seed: 0xE90C)

    init() throws { directory = try TemporaryDirectory("zone") }

    private var file: String { directory.file("zone.sqlite") }

    func open(greatestOrdinal: Int64?) throws -> any ZoneStorage {
        var options = SQLiteZoneStorage.Options()
        if let greatestOrdinal { options.greatestOrdinal = greatestOrdinal }
        return try SQLiteZoneStorage(path: file, creating: true, options: options) {
            EpochID(high: random.next(), low: random.next())
        }
    }

    func replaceByCopy() throws {
        let copy = directory.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: file, toPath: copy)
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: copy, toPath: file)
    }

    func setFaults(_ faults: TransactionFaults?, of storage: any ZoneStorage) {
        (storage as? SQLiteZoneStorage)?.setFaults(faults)
    }
}

/// A zone of its own name in the tests' PostgreSQL cluster.
final class PostgreSQLPlace: StoragePlace {
    private static let sharedPool = Result {
        let location = try PostgreSQLLocation(PartitionedDatabase.make())
        var options = PostgreSQLPool.Options()
        options.connections = 100
        let pool = PostgreSQLPool(location, options: options)
        try pool.withSession { try ZoneTables.update($0) }
        return pool
    }

    let pool: PostgreSQLPool
    let zone: String

    init() throws {
        pool = try Self.sharedPool.get()
        zone = "test-" + UUID().uuidString.lowercased()
    }

    func open(greatestOrdinal: Int64?) throws -> any ZoneStorage {
        let newEpoch = { @Sendable in
            EpochID(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
        }
        var options = PostgreSQLZoneStorage.Options(newEpoch: newEpoch)
        if let greatestOrdinal { options.greatestOrdinal = greatestOrdinal }
        try pool.withSession {
            try PostgreSQLZoneStorage.make(zone, through: $0, epoch: newEpoch())
        }
        return try PostgreSQLZoneStorage(pool, zone: zone, options: options)
    }

    /// Pretends that the rows were written in another database.
    func replaceByCopy() throws {
        try pool.withSession { session in
            _ = try session.run(
                PostgreSQLStatement(
                    "UPDATE anabranch.zone SET history = 'another' WHERE zone = $1", .text(zone),
                    changing: 1))
        }
    }

    func setFaults(_ faults: TransactionFaults?, of storage: any ZoneStorage) {
        var converted = PostgreSQLZoneStorage.Faults()
        converted.beforeCommit = faults?.beforeCommit
        converted.afterCommit = faults?.afterCommit
        (storage as? PostgreSQLZoneStorage)?.setFaults(converted)
    }
}
