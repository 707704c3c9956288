package import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import Synchronization

/// A back end in a directory.
///
/// It contains `zones/NAME.sqlite` for each zone, `tokens.sqlite`, and the lock file of the daemon
/// that serves it.
package final class SQLiteBackEnd: BackEnd {
    package let tokens: any TokenStore
    package let stop = StopSignal()
    private let directory: URL
    private let environment: ServerEnvironment
    private let lock = Mutex<Int32>(-1)

    /// Opens a directory; creates it if it is missing, readable by its owner only.
    package init(directory path: String, environment: ServerEnvironment) throws {
        directory = URL(fileURLWithPath: path, isDirectory: true)
        self.environment = environment
        let zones = directory.appendingPathComponent("zones", isDirectory: true)
        try zones.makeDirectory()
        tokens = try SQLiteTokenStore(
            path: directory.appendingPathComponent("tokens.sqlite").path,
            wallMilliseconds: environment.wallMilliseconds,
            randomBytes: environment.randomBytes)
    }

    private func path(of name: ZoneName) -> String {
        directory.appendingPathComponent("zones/\(name.string).sqlite").path
    }

    /// The room below which a disk counts as full.
    private static let leastRoom: UInt64 = 64 << 20

    package func checkIsReady() throws {
        _ = try tokens.token(matching: "")
        guard let room = directory.freeBytes else {
            throw StorageError(
                .unusable,
                "Can't look at \(directory.path) because \(String(cString: strerror(errno))).")
        }
        guard room >= Self.leastRoom else {
            throw StorageError(
                .full, "The disk of \(directory.path) has only \(room >> 20) MiB left.")
        }
    }

    package func zones() throws -> [ZoneName] {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: directory.appendingPathComponent("zones").path)
        return files.filter { $0.hasSuffix(".sqlite") }
            .compactMap { try? ZoneName(String($0.dropLast(".sqlite".count))) }
            .sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    }

    package func makeZone(_ name: ZoneName) throws {
        guard !FileManager.default.fileExists(atPath: path(of: name)) else { return }
        try open(name, creating: true).close()
    }

    package func open(_ name: ZoneName) throws -> any ZoneStorage {
        try open(name, creating: false)
    }

    private func open(_ name: ZoneName, creating: Bool) throws -> SQLiteZoneStorage {
        var options = SQLiteZoneStorage.Options()
        options.stop = stop
        return try SQLiteZoneStorage(
            path: path(of: name), creating: creating, options: options,
            newEpoch: environment.newEpoch)
    }

    private var marker: URL { directory.appendingPathComponent("moved") }

    package func lockForMoving() throws { try lockForServing() }

    package func markMoved(to location: String) throws {
        try Data("\(location)\n".utf8).write(to: marker, options: .atomic)
    }

    package func lockForServing() throws {
        if let location = try? String(contentsOf: marker, encoding: .utf8) {
            throw StorageError(moved: directory.path, to: location)
        }
        let path = directory.appendingPathComponent("anabranchd.lock").path
        let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw StorageError(
                .inUse, "Can't open \(path) because \(String(cString: strerror(errno))).")
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            Foundation.close(file)
            throw StorageError(
                .inUse,
                "Can't serve \(directory.path) because another daemon serves it: stop that one "
                    + "first, or use another directory.")
        }
        lock.withLock { $0 = file }
    }

    package func close() {
        tokens.close()
        lock.withLock { file in
            if file >= 0 { Foundation.close(file) }
            file = -1
        }
    }
}
