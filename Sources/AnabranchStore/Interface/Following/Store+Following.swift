import AnabranchReplication
import AnabranchSQLite

/// Changes that other openings of a file have committed, mostly those of another process.
package struct ForeignChanges: Sendable {
    package var records: ChangedRecords
    /// The author of the saves; `nil` if there are none.
    package var author: String?
    /// The progress of the history up to which the changes go.
    package var progress: HistoryProgress
    /// False if there may be further changes after these.
    package var isLast: Bool
}

extension Store {
    /// Returns how far the history has grown.
    package func historyProgress() throws -> HistoryProgress {
        try read(isCounted: false) { try $0.historyProgress() }
    }

    /// Reads what other openings of the file have committed.
    ///
    /// The history names the records, so no memory is needed for what happened meanwhile but for
    /// the IDs of one page. Changes that the history does not describe, or that were removed from
    /// it, have the extent ``ChangedRecords/Extent/unknown``.
    ///
    /// - Parameters:
    ///   - progress: The progress up to which all is known.
    ///   - limit: The number of records with which a page ends. One save may have more.
    /// - Returns: The next changes, of saves with one author; without records if this opening has
    ///   committed everything itself.
    package func foreignChanges(
        after progress: HistoryProgress, limit: Int = 10_000
    ) throws -> ForeignChanges {
        let changes = try read(isCounted: false) { reader in
            try foreignChanges(after: progress, limit: limit, reader)
        }
        ownWrites.forget(through: changes.progress)
        return changes
    }

    private func foreignChanges(
        after progress: HistoryProgress, limit: Int, _ reader: StoreReader
    ) throws -> ForeignChanges {
        var present = try reader.historyProgress()
        present.position = max(present.position, progress.position)
        var changes = ForeignChanges(
            records: ChangedRecords(), author: nil, progress: present, isLast: true)
        if try ownWrites.takeUncertainty() || reader.trimmedPosition() > progress.position {
            changes.records.extent = .unknown
            return changes
        }
        var page = try ForeignPage(reader, after: progress.position, through: present.position)
        try page.read(limit: limit, unless: ownWrites.contains(position:))
        changes.records = try page.changes.collected()
        changes.author = page.author
        guard page.isLast else {
            changes.isLast = false
            changes.progress = HistoryProgress(
                position: page.position, unloggedCount: progress.unloggedCount)
            return changes
        }
        if !ownWrites.containsUnlogged(
            after: progress.unloggedCount, through: present.unloggedCount)
        {
            changes.records.extent = .unknown
        }
        return changes
    }
}

extension StoreReader {
    package func historyProgress() throws -> HistoryProgress {
        HistoryProgress(
            position: try logPosition(),
            unloggedCount: try UnloggedChanges(connection: connection).count())
    }
}

/// Some saves of the history that are not of this opening of the file.
private struct ForeignPage {
    /// The greatest number of saves of a page.
    private static let saveLimit = 256

    private let reader: StoreReader
    private let end: Int64
    var changes: LoggedChanges
    /// The author of the saves; `nil` if there are none.
    private(set) var author: String?
    /// The position up to which the page goes.
    private(set) var position: Int64

    var isLast: Bool { position >= end }

    init(_ reader: StoreReader, after start: Int64, through end: Int64) throws {
        self.reader = reader
        self.end = end
        position = start
        changes = try LoggedChanges(reader)
    }

    /// - Parameter isOwn: Returns true for the position of a save that is left out.
    mutating func read(limit: Int, unless isOwn: (Int64) -> Bool) throws {
        guard position < end else { return }
        let log = ChangeLog(connection: reader.connection, replicas: try reader.replicas())
        let positions = try log.positions(after: position, limit: Self.saveLimit)
        let unsynced = UnsyncedSaves(connection: reader.connection, schema: reader.schema)
        let saves = try unsynced.saves(after: position, limit: Self.saveLimit)
        let all = Set(positions).union(saves.map(\.position)).sorted().prefix(Self.saveLimit)
        let isWhole = all.count < Self.saveLimit
        for next in all where !isOwn(next) {
            let entry = try log.entry(at: next)?.changeSet
            let save = saves.first { $0.position == next }
            let author = entry?.author ?? save?.author ?? ""
            guard self.author ?? author == author, changes.count < limit else { return }
            self.author = author
            if let entry { try changes.add(entry) }
            if let save { changes.add(save) }
            position = next
        }
        position = isWhole ? end : max(position, all.last ?? end)
    }
}

extension ChangeLog {
    /// The positions of the next entries after a position.
    fileprivate func positions(after position: Int64, limit: Int) throws -> [Int64] {
        try connection.cached(
            "SELECT position FROM ab_changeset WHERE position > ? ORDER BY position LIMIT ?",
            position, Int64(limit)
        ).map { $0.int64(at: 0) }
    }
}
