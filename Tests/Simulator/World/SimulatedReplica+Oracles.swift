import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport

/// The questions that oracles ask a replica.
extension SimulatedReplica {
    func canonicalRecords() throws -> [CanonicalRecord] {
        try store.read { reader in
            var records: [CanonicalRecord] = []
            try reader.canonicalRecords { records.append($0) }
            return records
        }
    }

    /// Checks that replicas with equal knowledge have equal state. A replica with records that wait
    /// for repair knows that its state may differ.
    ///
    /// A replica that has not changed since its last check is not checked again: if another replica
    /// comes to differ from it, that replica's check fails.
    func checkKnowledge() throws {
        let changeCount = window.changeCount
        guard changeCount != checkedChangeCount else { return }
        try compareKnowledge()
        checkedChangeCount = changeCount
    }

    private func compareKnowledge() throws {
        guard try store.recordsToRepair(limit: 1).isEmpty else { return }
        let entries = try snapshotEntries()
        let loaded = Set(entries.map(\.origin.bytes))
        let own = try store.read { reader in
            // An entry behind its replica's head waits for its predecessors.
            let heads = try reader.versionVector()
            return try reader.changeSets(after: 0, limit: .max).map(\.changeSet).filter {
                $0.dot.sequence <= heads[$0.dot.replica] && !loaded.contains($0.origin.bytes)
            }
        }
        let digests = (entries + own).map(\.digest.bytes)
        try world.knowledge.check(digests, hash: try store.canonicalHash(), in: path)
    }

    /// Checks that the store knows the state of its sync as the file has it.
    func checkKnownState() throws {
        let (known, stored) = (try store.syncState(), try store.readSyncState())
        guard known.isSame(as: stored) else {
            throw SimulationFailure("\(path) takes its state for \(known), but it is \(stored)")
        }
    }

    /// Returns the entries of the zone's log that the file has in a snapshot, or has removed from
    /// its log.
    func snapshotEntries() throws -> ArraySlice<ChangeSet> {
        guard let start = try store.syncState().start else { return [] }
        return world.archive.changeSets(through: start)
    }

    /// Returns the origins of the change sets in the file's log, which it can supply to another
    /// replica.
    func logOrigins() throws -> Set<Digest> {
        let rows = try store.read { try $0.connection.rows("SELECT origin FROM ab_changeset") }
        return Set(
            rows.compactMap { row in
                if case .blob(let bytes) = row[0] { Digest(bytes: bytes) } else { nil }
            })
    }

    /// Checks that the table of rejected saves has the replica's rejected saves and no other.
    ///
    /// - Parameters:
    ///   - voids: Origins of the saves that the zone's log has as rejected.
    ///   - lostByZone: Origins of the saves that the zone had rejected before it was restored. The
    ///     replica may know of these, and need not.
    func checkRejected(_ voids: Set<Digest>, lostByZone: Set<Digest> = []) throws {
        let saves = try store.rejectedSaves()
        let parked = Set(saves.map(\.changeSet.origin))
        guard parked.count == saves.count, parked.isSubset(of: voids.union(lostByZone)),
            acknowledged.intersection(voids).isSubset(of: parked)
        else {
            throw SimulationFailure(
                "\(path) has parked \(saves.count) saves, which are not those that the zone has "
                    + "rejected")
        }
    }

    /// Returns all rows of an entity.
    func rows(of entity: EntityDescription) throws -> [RowSnapshot] {
        try store.read { try SimulatedContent.rows(entity, $0) }
    }

    func related(
        by relationship: RelationshipDescription, of owners: [LocalID]
    ) throws -> [(owner: LocalID, id: LocalID)] {
        try store.read { try $0.related(by: relationship, of: owners).map { ($0.owner, $0.id) } }
    }

    func identity(_ id: LocalID) throws -> RecordID {
        guard let record = try store.recordID(of: id) else {
            throw SimulationFailure("\(path) shows record \(id) of nobody")
        }
        return record
    }
}

extension [ChangeSet] {
    /// Origins of the saves that the zone has rejected.
    var voids: Set<Digest> { Set(filter { $0.kind == .void }.map(\.origin)) }
}

extension SyncState {
    fileprivate func isSame(as other: SyncState) -> Bool {
        replica == other.replica && cursor == other.cursor
            && last?.sequence == other.last?.sequence && last?.origin == other.last?.origin
            && hasPending == other.hasPending && epochs == other.epochs
            && hasRecordsToRepair == other.hasRecordsToRepair && start == other.start
            && wantsSnapshot == other.wantsSnapshot && staged == other.staged
            && rejectedCount == other.rejectedCount && epochsAhead == other.epochsAhead
            && minimumVersion == other.minimumVersion
    }
}
