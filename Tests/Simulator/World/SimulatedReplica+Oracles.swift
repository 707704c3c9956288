import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport

/// What oracles ask of a replica.
extension SimulatedReplica {
    func canonicalRecords() throws -> [CanonicalRecord] {
        try store.read { reader in
            var records: [CanonicalRecord] = []
            try reader.canonicalRecords { records.append($0) }
            return records
        }
    }

    /// Whoever holds the same has the same; a replica that has records to repair knows that it
    /// differs.
    ///
    /// What was checked and has not changed since need not be checked again: whoever comes to
    /// differ from it is.
    func checkKnowledge() throws {
        let changeCount = window.changeCount
        guard changeCount != checkedChangeCount else { return }
        try compareKnowledge()
        checkedChangeCount = changeCount
    }

    private func compareKnowledge() throws {
        guard try store.debts(limit: 1).isEmpty else { return }
        let entries = try snapshotEntries()
        let loaded = Set(entries.map(\.origin.bytes))
        let own = try store.read { reader in
            try reader.connection.rows("SELECT origin, digest FROM ab_changeset")
                .compactMap { row in
                    if case .blob(let origin) = row[0], case .blob(let digest) = row[1],
                        !loaded.contains(origin)
                    {
                        digest
                    } else {
                        nil as [UInt8]?
                    }
                }
        }
        let digests = entries.map(\.digest.bytes) + own
        try world.knowledge.check(digests, hash: try store.canonicalHash(), in: path)
    }

    /// Entries of the zone's log that the file has by a snapshot.
    func snapshotEntries() throws -> ArraySlice<ChangeSet> {
        guard world.traits.hasCompaction, let start = try store.syncState().start else {
            return []
        }
        return world.archive.changeSets(through: start.position)
    }

    /// What an app sees, by the ways in which it reads.
    func shown() throws -> ExpectedView {
        let content = try content()
        let box = names.item.slot("box")
        var boxes: [RecordID: RecordID] = [:]
        for item in content.items {
            guard case .integer(let target) = item.slots[box] else { continue }
            boxes[try identity(item.id)] = try identity(target)
        }
        var labels: [RecordID: Set<RecordID>] = [:]
        for link in content.links {
            labels[try identity(link.item), default: []].insert(try identity(link.label))
        }
        var itemsOfBoxes: [RecordID: Set<RecordID>] = [:]
        for (box, item) in content.itemsOfBoxes {
            itemsOfBoxes[try identity(box), default: []].insert(try identity(item))
        }
        let rows = content.boxes + content.items + content.labels + content.halves
        return ExpectedView(
            identifiers: Set(try rows.map { try identity($0.id) }), boxes: boxes,
            itemsOfBoxes: itemsOfBoxes, labels: labels)
    }

    private func identity(_ id: LocalID) throws -> RecordID {
        guard let record = try store.recordID(of: id) else {
            throw SimulationFailure("\(path) shows record \(id) of nobody")
        }
        return record
    }
}
