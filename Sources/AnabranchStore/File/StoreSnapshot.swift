import AnabranchSQLite
import Dispatch
import Synchronization

/// One state of a store that stays readable while the file changes; a pinned context reads it.
///
/// As long as it is open, SQLite cannot move newer pages from its write-ahead log into the
/// database, so that log grows. A snapshot therefore ends after the time given in the store's
/// options, even if it is still in use.
package final class StoreSnapshot: Sendable {
    private let reader: PinnedReader
    private let schema: StoreSchema
    private let identity: StoreIdentity

    fileprivate init(of store: Store) throws {
        schema = store.schema
        identity = store.identity
        reader = try PinnedReader(
            path: store.path, mode: store.access.readingMode, vfs: store.environment.vfs,
            busyTimeout: store.options.busyTimeout, setup: StoreFunctions.install)
    }

    /// Runs a body that reads; one body at a time.
    ///
    /// - Throws: ``StoreError`` with code `generationExpired` once the snapshot has ended.
    package func read<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
        try StoreError.translating("read", path: reader.path) {
            do {
                return try reader.read {
                    try body(StoreReader($0, schema: schema, identity: identity))
                }
            } catch let error as SQLiteError where error.code == .misuse && reader.isClosed {
                throw expired
            }
        }
    }

    private var expired: StoreError {
        StoreError(
            .generationExpired,
            "Can't read an earlier state of \(reader.path) because it was kept for too long, or "
                + "the store was closed; pin the context again.", path: reader.path)
    }

    /// True if the snapshot has ended and can no longer be read.
    package var hasEnded: Bool { reader.isClosed }

    /// Ends the snapshot after the current read has finished.
    package func end() { reader.close() }
}

extension Store {
    /// Keeps the present state of the file readable.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read or the store is closed.
    package func snapshot() throws -> StoreSnapshot {
        let snapshot = try StoreError.translating("read", path: path) {
            try StoreSnapshot(of: self)
        }
        try snapshots.add(snapshot, path: path)
        let lifetime = DispatchTimeInterval.milliseconds(options.generationLifetime.milliseconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + lifetime) { [weak snapshot] in
            snapshot?.end()
        }
        return snapshot
    }
}

/// The snapshots of a store; they end when the store closes.
final class StoreSnapshots: Sendable {
    private struct Entry: Sendable {
        weak let snapshot: StoreSnapshot?
    }

    /// The open snapshots; `nil` once the store is closed.
    private let entries = Mutex<[Entry]?>([])

    func add(_ snapshot: StoreSnapshot, path: String) throws {
        let isOpen = entries.withLock { entries in
            entries?.removeAll { $0.snapshot == nil }
            entries?.append(Entry(snapshot: snapshot))
            return entries != nil
        }
        guard isOpen else {
            snapshot.end()
            throw StoreError(
                .closed, "Can't read \(path) because the store was closed.", path: path)
        }
    }

    func endAll() {
        let all = entries.withLock { entries in
            defer { entries = nil }
            return entries ?? []
        }
        for entry in all { entry.snapshot?.end() }
    }
}

extension Duration {
    /// The whole milliseconds, at most as many as a timer accepts.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        let limit: Int64 = 100 * 365 * 86_400
        let whole = min(max(seconds, 0), limit) * 1000
        return Int(whole + attoseconds / 1_000_000_000_000_000)
    }
}
