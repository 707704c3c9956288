import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// The back ends with which every conformance test runs.
enum StorageKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite

    var testDescription: String { rawValue }

    func makePlace() throws -> any StoragePlace {
        switch self {
        case .sqlite: try SQLitePlace()
        }
    }
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
