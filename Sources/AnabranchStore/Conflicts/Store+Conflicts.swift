import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// What merging has discarded, the newest first.
    package func conflicts(limit: Int = .max) throws -> [Conflict] {
        try read { reader in
            let replicas = try reader.replicas()
            let statement = try reader.connection.cached(
                """
                SELECT kind, record, entity, property, type, rule, value, hlc, by, author,
                winner_hlc, winner_by, winner_author, noticed
                FROM ab_conflict ORDER BY id DESC LIMIT ?
                """)
            try statement.bind(Int64(limit), at: 1)
            var conflicts: [Conflict] = []
            while try statement.step() {
                if let conflict = try Self.conflict(statement, replicas) {
                    conflicts.append(conflict)
                }
            }
            return conflicts
        }
    }

    private static func conflict(
        _ statement: Statement, _ replicas: ReplicaTable
    ) throws -> Conflict? {
        guard let kind = Conflict.Kind(rawValue: statement.int64(at: 0)),
            let record = replicas.record(statement.int64(at: 1)),
            let lost = stamp(statement, at: 7, replicas)
        else { return nil }
        var value = ByteReader(statement.bytes(at: 6))
        return Conflict(
            kind: kind, record: record, entity: statement.string(at: 2),
            property: WireProperty(
                name: WireName(statement.string(at: 3)),
                type: WireType(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 4))),
                rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 5)))),
            value: try value.readTagged(),
            lost: Conflict.Write(stamp: lost, author: statement.string(at: 9)),
            winner: stamp(statement, at: 10, replicas).map {
                Conflict.Write(stamp: $0, author: statement.string(at: 12))
            }, noticedMilliseconds: statement.int64(at: 13))
    }

    private static func stamp(
        _ statement: Statement, at column: Int, _ replicas: ReplicaTable
    ) -> Stamp? {
        guard !statement.isNull(at: column), let replica = replicas[statement.int64(at: column + 1)]
        else { return nil }
        let timestamp = UInt64(bitPattern: statement.int64(at: column))
        return Stamp(timestamp: HybridTimestamp(rawValue: timestamp), replica: replica)
    }
}
