import AnabranchReplication
import AnabranchSQLite

extension WriteTransaction {
    /// The causal context of a save: what this file holds.
    ///
    /// It consists of a prefix of the zone's log, this replica's earlier saves, which its sequence
    /// number implies, and change sets of other replicas beyond the prefix. Those are in the log,
    /// or a snapshot brought them and the zone has gone back to before it.
    func causalContext() throws -> CausalContext {
        let prefix = state.cursor.map {
            CausalContext.Prefix(epoch: $0.epoch, position: $0.position)
        }
        guard replicas.count > 1 else { return CausalContext(prefix: prefix) }
        let logged = try connection.cached(
            """
            SELECT r.ordinal, r.seen, r.origin FROM ab_replica r JOIN ab_changeset c
            ON c.replica = r.ordinal AND c.seq = r.seen
            WHERE r.own = 1 AND r.ordinal <> ? AND r.seen > 0
            AND (c.server_position IS NULL OR c.epoch IS NOT ? OR c.server_position > ?)
            """)
        try logged.bind(state.ordinal, at: 1)
        try logged.bind(prefix?.epoch.bytes ?? [], at: 2)
        try logged.bind(Int64(bitPattern: prefix?.position ?? 0), at: 3)
        var beyond = try heads(logged)
        if let start = state.start, prefix?.position ?? 0 < start.position {
            let removed = try connection.cached(
                """
                SELECT ordinal, seen, origin FROM ab_replica r
                WHERE ordinal <> ? AND seen > 0 AND NOT EXISTS
                (SELECT 1 FROM ab_changeset WHERE replica = r.ordinal AND seq = r.seen)
                """)
            try removed.bind(state.ordinal, at: 1)
            beyond += try heads(removed)
        }
        return CausalContext(prefix: prefix, beyond: beyond)
    }

    private func heads(_ statement: Statement) throws -> [CausalContext.Entry] {
        var heads: [CausalContext.Entry] = []
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            let sequence = UInt64(bitPattern: statement.int64(at: 1))
            heads.append(
                .init(
                    dot: Dot(replica: replica, sequence: sequence), originPrefix: origin.prefix))
        }
        return heads
    }
}
