import AnabranchReplication
import AnabranchSQLite
import Foundation

extension Store {
    /// Checks the file's pages, its log, and its records against the log.
    package func check() throws -> StoreCheck {
        var check = StoreCheck()
        check.damage = try damage()
        if check.damage.isEmpty { check.damage = try damagedSearchTables() }
        guard check.damage.isEmpty else { return check }
        check.logFaults = try read { try $0.logFaults() }
        guard check.logFaults.isEmpty else { return check }
        check.differences = try differencesFromLog()
        return check
    }

    /// The tables of words that differ from the rows. SQLite compares them only on a connection
    /// that may write, so a store that is only read has no such check.
    private func damagedSearchTables() throws -> [String] {
        guard !options.isReadOnly else { return [] }
        return try schema.searchTables.compactMap { table in
            do {
                try withWriter { try $0.execute(table.check) }
                return nil
            } catch let error as StoreError where error.code == .corrupt {
                return
                    "The index of words \(table.name) differs from its table. Open the store with "
                    + "a model without searchable attributes, and then with this one."
            }
        }
    }

    /// Merges the log again in another file and compares the two states.
    private func differencesFromLog() throws -> [RecordDifference]? {
        let state = try syncState()
        guard state.start == nil, !state.hasRecordsToRepair, !state.wantsSnapshot else {
            return nil
        }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("anabranch-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // A temporary folder that cannot be removed does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("log.bundle").path
        _ = try exportBundle(to: bundle)
        let rebuilt = try Store.open(
            at: folder.appendingPathComponent("rebuilt.store").path, model: model,
            environment: environment.isInMemory ? .system.inMemory : .system)
        defer { rebuilt.close() }
        let outcome = try rebuilt.importBundle(from: bundle) { _ in }
        guard outcome.waitingCount == 0 else { return nil }
        return try read { held in
            try rebuilt.read { wanted in
                guard try held.versionVector() == wanted.versionVector() else { return nil }
                return try Self.differences(StateScan(held), StateScan(wanted))
            }
        }
    }

    private static func differences(
        _ held: StateScan, _ wanted: StateScan
    ) throws -> [RecordDifference] {
        var differences: [RecordDifference] = []
        var range: RecordRange? = .all
        while let rest = range {
            let entries = try wanted.entries(of: rest, limit: comparedTogether)
            let last = entries.count < comparedTogether ? nil : entries.last?.record
            let next = last.map { RecordID(replica: $0.replica, number: $0.number + 1) }
            differences += RecordDifference.between(
                try held.entries(of: RecordRange(lower: rest.lower, upper: next)), entries)
            range = next.map { RecordRange(lower: $0, upper: nil) }
        }
        return differences
    }

    private static let comparedTogether = 4096
}

extension StoreReader {
    /// Entries of the log with damaged bytes, and entries that do not continue the history of the
    /// entry before them.
    fileprivate func logFaults() throws -> [String] {
        let log = ChangeLog(connection: connection, replicas: try replicas())
        var faults: [String] = []
        var heads: [ReplicaID: (sequence: UInt64, origin: Digest)] = [:]
        var position: Int64 = 0
        while true {
            let found = try StoreError.unlessDamaged {
                try log.entries(after: position, limit: 100, byteLimit: 1 << 20)
            }
            guard let entries = found else {
                return faults + ["The entries after entry \(position) can't be read."]
            }
            guard let last = entries.last else { return faults }
            position = last.localPosition
            for entry in entries {
                let fault = try Self.fault(of: entry, behind: &heads) ?? partFault(of: entry)
                faults += fault.map { [$0] } ?? []
            }
        }
    }

    private func partFault(of entry: StoredLogEntry) throws -> String? {
        let parts = PartTable(connection)
        for (number, part) in try entry.changeSet.parts().enumerated() {
            guard try parts.isRight(part) else {
                return "Part \(number) of entry \(entry.localPosition), "
                    + "\(entry.changeSet.dot), is damaged."
            }
        }
        return nil
    }

    private static func fault(
        of entry: StoredLogEntry,
        behind heads: inout [ReplicaID: (sequence: UInt64, origin: Digest)]
    ) -> String? {
        let set = entry.changeSet
        let before = heads[set.dot.replica]
        heads[set.dot.replica] = set.kind == .lost ? nil : (set.dot.sequence, set.origin)
        if let before, before.sequence + 1 == set.dot.sequence, set.kind != .lost,
            before.origin != set.previousOrigin
        {
            return "Entry \(entry.localPosition), \(set.dot), does not continue the one before it."
        }
        do {
            _ = try ChangeSet(decoding: set.encoded())
            return nil
        } catch {
            return "Entry \(entry.localPosition), \(set.dot), is damaged: \(error.cause)."
        }
    }
}
