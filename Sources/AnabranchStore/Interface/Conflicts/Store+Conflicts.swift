package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The entries of the conflict journal, newest first.
    ///
    /// Entries of a kind that a later version has added are left out.
    package func conflicts(
        _ selection: ConflictSelection = .all, limit: Int = .max
    ) throws -> [ConflictEntry] {
        try read { reader in
            let replicas = try reader.replicas()
            let condition = condition(selection, replicas)
            let statement = try reader.connection.cached(
                """
                SELECT kind, record, entity, property, type, rule, value, hlc, by, author,
                winner_hlc, winner_by, winner_author, winner_value, noticed, id
                FROM ab_conflict_entry WHERE \(condition.sql) ORDER BY id DESC LIMIT ?
                """)
            try statement.bind(condition)
            try statement.bind(Int64(limit), at: condition.values.count + 1)
            return try statement.map { try Self.conflict($0, replicas) }.compactMap(\.self)
        }
    }

    package func conflictCount(_ selection: ConflictSelection = .all) throws -> Int {
        try read { reader in
            let condition = condition(selection, try reader.replicas())
            let statement = try reader.connection.cached(
                "SELECT count(*) FROM ab_conflict WHERE \(condition.sql)")
            try statement.bind(condition)
            guard try statement.step() else { return 0 }
            return Int(statement.int64(at: 0))
        }
    }

    /// Removes entries permanently.
    ///
    /// - Returns: The number of removed entries.
    package func purgeConflicts(_ selection: ConflictSelection) throws -> Int {
        try write { try $0.purgeConflicts(selection) }
    }

    /// The entity of a conflict's record. If the record is deleted, it is the entity that the
    /// journal names; `nil` if the model does not know that.
    package func entity(of conflict: ConflictEntry) throws -> EntityDescription? {
        guard let id = try localID(of: conflict.record) else { return nil }
        return try read { try $0.entity(ofConflict: id, named: WireName(conflict.entity)) }
    }

    private func condition(
        _ selection: ConflictSelection, _ replicas: ReplicaTable
    ) -> ConflictSelection.Condition {
        selection.condition(replicas, wallMilliseconds: environment.wallMilliseconds())
    }

    private static func conflict(
        _ statement: Statement, _ replicas: ReplicaTable
    ) throws -> ConflictEntry? {
        guard let kind = ConflictEntry.Kind(rawValue: statement.int64(at: 0)),
            let record = replicas.record(statement.int64(at: 1)),
            let lost = statement.stamp(at: 7, replicas)
        else { return nil }
        return ConflictEntry(
            id: statement.int64(at: 15), kind: kind, record: record,
            entity: statement.string(at: 2),
            property: statement.wireProperty(at: 3),
            value: try value(statement, at: 6) ?? .null,
            lost: ConflictEntry.Write(stamp: lost, author: statement.string(at: 9)),
            winner: statement.stamp(at: 10, replicas).map {
                ConflictEntry.Write(stamp: $0, author: statement.string(at: 12))
            }, winningValue: try value(statement, at: 13),
            noticedMilliseconds: statement.int64(at: 14))
    }

    private static func value(_ statement: Statement, at column: Int) throws -> PropertyValue? {
        statement.isNull(at: column) ? nil : try statement.taggedValue(at: column)
    }
}

extension StateTransaction {
    func purgeConflicts(_ selection: ConflictSelection) throws -> Int {
        try conflicts.write()
        let condition = selection.condition(
            replicas, wallMilliseconds: environment.wallMilliseconds())
        let statement = try connection.cached("DELETE FROM ab_conflict WHERE \(condition.sql)")
        try statement.bind(condition)
        try statement.run()
        return connection.changes
    }

    /// True if there may be entries to write or to remove.
    var hasConflicts: Bool {
        !conflicts.isUnused || store.options.conflictRetention.age != nil
    }

    /// Removes the entries that the store's retention rule does not keep.
    ///
    /// The oldest entries are checked once for each page; the number of entries only if there are
    /// new ones.
    ///
    /// - Returns: The entries that this transaction has added and the retention rule keeps.
    func writeConflicts() throws -> [RecordedConflict] {
        if conflicts.hasUnwritten { try conflicts.write() }
        let retention = store.options.conflictRetention
        var purgedCount = 0
        if let age = retention.age { purgedCount += try purgeConflicts(.expired(after: age)) }
        guard let first = conflicts.written.first else { return [] }
        if let count = retention.count, try mayHaveConflicts(beyond: count) {
            purgedCount += try purgeConflicts(.allButNewest(count))
        }
        let isPurged = purgedCount > 0
        let kept = isPurged ? try conflictNumbers(from: first.id) : []
        let reader = StoreReader(connection, schema: schema)
        var entities = RecentPair<Int64, EntityDescription?>()
        return try conflicts.written.filter { !isPurged || kept.contains($0.id) }.map {
            let (record, subject) = ($0.record, $0.subject)
            let named = entities.value(of: subject) {
                conflicts.entity(ofSubject: subject).flatMap {
                    schema.model.entity(wireName: $0)
                }
            }
            return RecordedConflict(
                id: $0.id, record: record,
                entity: try named.map { try reader.entity(of: record, under: $0) })
        }
    }

    /// True if there may be more entries than a number: purged ones leave gaps between the others.
    private func mayHaveConflicts(beyond count: Int) throws -> Bool {
        let span = try connection.firstValue(
            "SELECT (SELECT max(id) FROM ab_conflict) - (SELECT min(id) FROM ab_conflict)")
        guard case .integer(let span)? = span else { return false }
        return span >= count
    }

    private func conflictNumbers(from first: Int64) throws -> Set<Int64> {
        let statement = try connection.cached("SELECT id FROM ab_conflict WHERE id >= ?", first)
        var numbers: Set<Int64> = []
        while try statement.step() { numbers.insert(statement.int64(at: 0)) }
        return numbers
    }
}

extension StoreReader {
    fileprivate func entity(
        ofConflict record: LocalID, named name: WireName
    ) throws -> EntityDescription? {
        try schema.model.entity(wireName: name).map { try entity(of: record, under: $0) }
    }

    /// The record's own entity; the given entity if the record is deleted.
    fileprivate func entity(
        of record: LocalID, under entity: EntityDescription
    ) throws -> EntityDescription {
        guard !entity.subentities.isEmpty else { return entity }
        return try self.entity(of: record, in: entity) ?? entity
    }
}

extension Statement {
    fileprivate func bind(_ condition: ConflictSelection.Condition) throws {
        for (index, value) in condition.values.enumerated() { try bind(value, at: index + 1) }
    }
}
