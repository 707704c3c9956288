import AnabranchReplication
import AnabranchSQLite

/// Removes the oldest saves from the log of a file, within one short transaction.
///
/// Only saves that the zone holds are removed, in the order of the zone's log. Afterwards the file
/// is like one that began with a snapshot at the position of the last of them: `state.start` is the
/// cursor there.
struct LogTrimming {
    private let transaction: StateTransaction
    private let rule: TrimmingRule
    private var size: LogSize
    /// The last save of this file's log. It stays, because its position is that of the history.
    private let newest: Int64
    private(set) var result = TrimmingResult()
    private var hasRemovedParts = false

    private var connection: Connection { transaction.connection }

    init(_ transaction: StateTransaction, _ retention: LogRetention) throws {
        self.transaction = transaction
        rule = TrimmingRule(retention, wallMilliseconds: transaction.wallMilliseconds)
        size = try LogSize(transaction.connection)
        newest = try StoreReader(transaction.connection, schema: transaction.schema).logPosition()
    }

    /// The number and the bytes of saves that one transaction removes.
    private static let sliceCount = 200
    private static let sliceBytes = 1 << 20

    mutating func run() throws {
        guard let cursor = transaction.state.cursor, try isAllowed() else { return }
        try removeAhead(upTo: cursor)
        if !isSliceFull { try removeBehind() }
        if !isSliceFull { try removeUnsynced() }
        if hasRemovedParts { try PartTable(connection).removeUnused() }
        try size.write(connection)
        result.isComplete = !isSliceFull
    }

    private var isSliceFull: Bool {
        result.saveCount >= Self.sliceCount || result.byteCount >= Self.sliceBytes
    }

    /// True unless a repair or a snapshot needs the log as it is.
    private func isAllowed() throws -> Bool {
        guard !transaction.state.wantsSnapshot,
            try RepairQueue(connection: connection).first(1).isEmpty
        else { return false }
        return try SnapshotStage(connection: connection).staged() == nil
    }

    // MARK: - Saves of the zone's log

    /// An entry that may be removed.
    private struct Entry {
        let position: Int64
        let time: HybridTimestamp
        let byteCount: Int
        let isInParts: Bool
        let author: String
    }

    /// Moves the start of the log over the saves that the rule does not keep.
    private mutating func removeAhead(upTo cursor: LogCursor) throws {
        var start = transaction.state.start ?? LogCursor(startOf: cursor.epoch)
        let statement = try connection.cached(
            """
            SELECT c.kind, r.id, c.seq, c.position, c.origin, c.server_position, c.position, c.hlc,
            length(c.payload), CASE c.kind WHEN \(Self.inParts) THEN c.payload END, c.author
            FROM ab_changeset c JOIN ab_replica r ON r.ordinal = c.replica
            WHERE c.server_position > ? AND c.server_position <= ? ORDER BY c.server_position
            LIMIT \(Self.sliceCount)
            """, Int64(bitPattern: start.position), Int64(bitPattern: cursor.position))
        var removed: [Entry] = []
        while !isSliceFull, try statement.step() {
            let entry = try Self.entry(statement)
            guard entry.position != newest, rule.removes(entry.time, from: size.byteCount),
                let next = try start.advanced(
                    over: statement, of: transaction.log, in: transaction.store.path)
            else { break }
            start = next
            count(entry)
            removed.append(entry)
        }
        statement.reset()
        try remove(removed)
        guard start.position > transaction.state.start?.position ?? 0 else { return }
        if transaction.state.start == nil {
            try UnorderedEntries(connection: connection).includeAll()
        }
        transaction.state.start = start
    }

    /// Removes saves that are behind the start of the log, because they were there when a snapshot
    /// came.
    private mutating func removeBehind() throws {
        guard let start = transaction.state.start else { return }
        let statement = try connection.cached(
            """
            SELECT c.kind, NULL, c.seq, NULL, NULL, c.server_position, c.position, c.hlc,
            length(c.payload), CASE c.kind WHEN \(Self.inParts) THEN c.payload END, c.author
            FROM ab_changeset c WHERE c.server_position <= ? AND c.position <> ?
            ORDER BY c.server_position LIMIT \(Self.sliceCount)
            """, Int64(bitPattern: start.position), newest)
        var removed: [Entry] = []
        while !isSliceFull, try statement.step() {
            let entry = try Self.entry(statement)
            guard rule.removes(entry.time, from: size.byteCount) else { break }
            count(entry)
            removed.append(entry)
        }
        statement.reset()
        try remove(removed)
    }

    private static let inParts = LogEntryKind.saveInParts.rawValue

    private static func entry(_ row: Statement) throws -> Entry {
        let isInParts = row.int64(at: 0) == Int64(inParts)
        let parts = isInParts ? try PartList(decoding: row.bytes(at: 9)).byteCount : 0
        return Entry(
            position: row.int64(at: 6),
            time: HybridTimestamp(rawValue: UInt64(bitPattern: row.int64(at: 7))),
            byteCount: Int(row.int64(at: 8)) + parts + LogSize.bytesEach, isInParts: isInParts,
            author: row.string(at: 10))
    }

    private mutating func count(_ entry: Entry) {
        result.saveCount += 1
        result.byteCount += entry.byteCount
        size.subtract(entry.byteCount)
        if entry.isInParts { hasRemovedParts = true }
    }

    private func remove(_ entries: [Entry]) throws {
        let log = transaction.log
        for entry in entries {
            try log.trim(
                entry.position, author: try transaction.conflicts.number(ofAuthor: entry.author))
        }
        guard let last = entries.map(\.position).max() else { return }
        log.reservePositions(through: last)
        try StampCounters(connection: connection).add(Int64(entries.count))
        try TrimmedLog(connection: connection).raise(to: last)
    }

    // MARK: - Saves of unsynced objects

    /// Removes what is too old of the history of objects that are kept in this store only.
    private mutating func removeUnsynced() throws {
        let statement = try connection.cached(
            """
            SELECT position, hlc FROM ab_unsynced WHERE position <> ? ORDER BY position
            LIMIT \(Self.sliceCount)
            """, newest)
        var last: Int64?
        while !isSliceFull, try statement.step() {
            let time = HybridTimestamp(rawValue: UInt64(bitPattern: statement.int64(at: 1)))
            guard rule.isExpired(time) else { break }
            last = statement.int64(at: 0)
            result.saveCount += 1
        }
        statement.reset()
        guard let last else { return }
        try connection.run("DELETE FROM ab_unsynced WHERE position <= ?", .integer(last))
        try TrimmedLog(connection: connection).raise(to: last)
    }
}

/// The number and the size of the saves that were removed from the log of a file.
package struct TrimmingResult: Hashable, Sendable {
    package var saveCount = 0
    /// The bytes of the values of the removed saves.
    package var byteCount = 0
    /// True if the log holds nothing more that the rule does not keep.
    var isComplete = true

    package init() {}

    static func += (left: inout Self, right: Self) {
        left.saveCount += right.saveCount
        left.byteCount += right.byteCount
        left.isComplete = right.isComplete
    }
}
