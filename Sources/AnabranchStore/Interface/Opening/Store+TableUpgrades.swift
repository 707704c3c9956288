import AnabranchSQLite

extension Store {
    /// The tables and indexes that a file from an earlier build may lack, each with what adds it.
    private static let laterTables: [(name: String, add: @Sendable (Store) throws -> Void)] = [
        ("ab_shadow", { try $0.addDuplicateTables() }),
        ("ab_conflict_subject", { try $0.divideJournal() }),
        ("ab_unsynced", { try $0.addUnsyncedSaves() }),
        ("ab_deferred_zone", { try $0.indexZoneSettings() }),
        ("ab_former_link", { try $0.addFormerLinks() }),
        ("ab_stamp_time", { try $0.describeRemovedEntries() }),
    ]

    /// Adds the tables and indexes that a file from an earlier build lacks.
    func upgradeTables() throws {
        guard !options.isReadOnly else { return }
        let missing = try withWriter { connection in
            try Self.laterTables.filter { try !connection.hasTable($0.name) }
        }
        for table in missing { try table.add(self) }
    }

    /// Adds the tables of merged duplicates to an older file that lacks them, and merges the
    /// duplicates that the file has.
    private func addDuplicateTables() throws {
        try write { transaction in
            // Another process may have added the tables meanwhile.
            guard try !transaction.connection.hasTable("ab_shadow") else { return }
            try transaction.connection.execute(CoreTables.mergedDuplicates)
            try transaction.views.addAllCandidates()
            _ = try transaction.collected(ChangeCollector())
        }
    }

    private func describeRemovedEntries() throws {
        try write { transaction in
            // Another process may have added the columns meanwhile.
            guard try !transaction.connection.hasTable("ab_stamp_time") else { return }
            try transaction.connection.execute(CoreTables.removedEntries)
        }
    }

    private func indexZoneSettings() throws {
        try write { transaction in
            // Another process may have added the index meanwhile.
            guard try !transaction.connection.hasTable("ab_deferred_zone") else { return }
            try transaction.connection.execute(CoreTables.zoneSettings)
        }
    }

    /// Adds the table of former links to an older file, and shows the former links that the file
    /// has.
    private func addFormerLinks() throws {
        try write { transaction in
            // Another process may have added the table meanwhile.
            guard try !transaction.connection.hasTable("ab_former_link") else { return }
            try transaction.connection.execute(CoreTables.formerLinks)
            try transaction.views.applyFormerLinkRuleToAll()
        }
    }

    /// Adds the tables for shared subjects and authors to an older file, in which each journal
    /// entry named everything itself. The entries keep their numbers.
    private func divideJournal() throws {
        try write { transaction in
            // Another process may have added the tables meanwhile.
            guard try !transaction.connection.hasTable("ab_conflict_subject") else { return }
            try transaction.connection.execute(Self.wholeEntriesDivided)
        }
    }

    private func addUnsyncedSaves() throws {
        try write { transaction in
            // Another process may have added the table meanwhile.
            guard try !transaction.connection.hasTable("ab_unsynced") else { return }
            try transaction.connection.execute(CoreTables.unsyncedSaves)
        }
    }

    private static let wholeEntriesDivided = """
        DROP INDEX IF EXISTS ab_conflict_noticed;
        ALTER TABLE ab_conflict RENAME TO ab_conflict_whole;
        \(CoreTables.journal)
        INSERT INTO ab_conflict_subject (entity, property, type, rule)
            SELECT DISTINCT entity, property, type, rule FROM ab_conflict_whole;
        INSERT INTO ab_conflict_author (name)
            SELECT author FROM ab_conflict_whole WHERE author <> '' UNION
            SELECT winner_author FROM ab_conflict_whole WHERE winner_author <> '';
        INSERT INTO ab_conflict
            SELECT o.id, o.kind, o.record, s.id, o.value, o.hlc, o.by, a.id, o.winner_hlc,
                o.winner_by, w.id, o.winner_value, o.noticed
            FROM ab_conflict_whole o JOIN ab_conflict_subject s ON s.entity = o.entity
                AND s.property = o.property AND s.type = o.type AND s.rule = o.rule
            LEFT JOIN ab_conflict_author a ON a.name = o.author
            LEFT JOIN ab_conflict_author w ON w.name = o.winner_author ORDER BY o.id;
        DELETE FROM sqlite_sequence WHERE name = 'ab_conflict';
        INSERT INTO sqlite_sequence (name, seq)
            SELECT 'ab_conflict', seq FROM sqlite_sequence WHERE name = 'ab_conflict_whole';
        DROP TABLE ab_conflict_whole;
        """
}
