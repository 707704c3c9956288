import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport

// Operations on store files that tests do without the store.
extension StoreScenario {
    /// Runs SQL on a file as another program does.
    @discardableResult
    func sql(_ name: String, _ sql: String) throws -> [[SQLiteValue]] {
        let connection = try Connection(path: path(name))
        defer { connection.close() }
        try connection.createCollation("ab_decimal") { left, right in
            left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
        return try connection.rows(sql)
    }

    /// Returns whether SQLite's integrity check succeeds.
    func isIntact(_ name: String) throws -> Bool {
        try sql(name, "PRAGMA integrity_check") == [[.text("ok")]]
    }

    /// Copies a file and its write-ahead log, as `cp` does.
    func copy(_ name: String, to other: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path(name) + suffix)
        {
            try FileManager.default.copyItem(
                atPath: path(name) + suffix, toPath: path(other) + suffix)
        }
    }

    /// Writes the bytes of one file into another, which keeps its identity.
    func restore(_ name: String, from backup: String) throws {
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path(name) + suffix)
        }
        let bytes = try Data(contentsOf: URL(filePath: path(backup)))
        let file = try FileHandle(forWritingTo: URL(filePath: path(name)))
        defer { try? file.close() }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
    }

    /// Returns the bytes of a file and of its write-ahead log.
    func bytes(_ name: String) -> [Data] {
        ["", "-wal"].map { (try? Data(contentsOf: URL(filePath: path(name) + $0))) ?? Data() }
    }

    func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path(name)))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
    }
}

/// Returns the store error that a body throws; `nil` if it throws none, or another error.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}

extension StoreScenario {
    func move(_ name: String, to other: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path(name) + suffix)
        {
            try FileManager.default.moveItem(
                atPath: path(name) + suffix, toPath: path(other) + suffix)
        }
    }
}
