import AnabranchReplication

// One statement for each kind of need. They are sent with the lock of the zone, and see what the
// lock's former holder has committed.
extension ZoneNeeds {
    /// The greatest number of bytes of records' values that are read before they are asked for.
    static let bytesTogether = 1 << 20

    /// The statements; empty if nothing is needed.
    func statements(for zone: String) -> [PostgreSQLStatement] {
        guard !isEmpty else { return [] }
        let dots = Array(Set(dots))
        let records = Array(Set(records))
        return [
            PostgreSQLStatement(
                """
                SELECT ordinal, id, sequence, origin FROM anabranch.replica
                WHERE zone = $1 AND id = ANY($2)
                """, .text(zone), .blobs(allReplicas.map(\.bytes))),
            PostgreSQLStatement(
                """
                SELECT \(PostgreSQLZoneReader.placeColumns) FROM anabranch.log AS l
                WHERE zone = $1 AND origin = ANY($2)
                """, .text(zone), .blobs(Set(origins).map(\.bytes))),
            PostgreSQLStatement(
                """
                SELECT \(PostgreSQLZoneReader.placeColumns)
                FROM unnest($2::bytea[], $3::bigint[]) AS dot(id, sequence)
                JOIN anabranch.replica AS r ON r.zone = $1 AND r.id = dot.id
                JOIN anabranch.log AS l
                    ON l.zone = $1 AND l.replica = r.ordinal AND l.sequence = dot.sequence
                """, .text(zone), .blobs(dots.map(\.replica.bytes)),
                .integers(dots.map { Int64(clamping: $0.sequence) })),
            PostgreSQLStatement(
                PostgreSQLZoneReader.sizedRows(
                    """
                    FROM unnest($2::bytea[], $3::bigint[]) AS name(id, number)
                    JOIN anabranch.replica AS r ON r.zone = $1 AND r.id = name.id
                    JOIN anabranch.record AS row
                        ON row.zone = $1 AND row.key = (r.ordinal << 40) + name.number
                    """, within: "$4"),
                .text(zone), .blobs(records.map(\.replica.bytes)),
                .integers(records.map { Int64(clamping: $0.number) }),
                .integer(Int64(Self.bytesTogether))),
        ]
    }

    /// The replicas that are needed themselves or by a dot or a record.
    private var allReplicas: Set<ReplicaID> {
        Set(replicas).union(dots.lazy.map(\.replica)).union(records.lazy.map(\.replica))
    }

    /// Gives the results of the statements to a draft.
    ///
    /// - Parameter place: Reads the place in a row.
    func give(
        _ results: [PostgreSQLRows], to draft: ZoneDraft,
        place: (PostgreSQLRows.Row) throws -> ZoneLogLocation
    ) throws {
        guard !results.isEmpty else { return }
        for row in results[0] {
            let replica = try row.replicaRow()
            draft.names.insert(replica.id, ordinal: replica.ordinal)
            draft.replicas.take(replica, of: replica.id)
        }
        for replica in allReplicas { draft.replicas.take(nil, of: replica) }
        for row in results[1] {
            let found = try place(row)
            draft.places.take(found, of: found.origin)
        }
        for origin in origins { draft.places.take(nil, of: origin) }
        for row in results[2] {
            let found = try place(row)
            draft.placesByDot.take(found, of: found.dot)
        }
        for dot in dots { draft.placesByDot.take(nil, of: dot) }
        for (key, record) in try results[3].heldRecords() { draft.records.take(record, of: key) }
        for record in records {
            guard let ordinal = draft.replicas[record.replica]?.row?.ordinal else { continue }
            draft.records.take(nil, of: RecordKey(ordinal: ordinal, number: record.number))
        }
    }
}

extension PostgreSQLRows {
    /// The records in the rows of `PostgreSQLZoneReader.sizedRows`.
    func heldRecords() throws -> [RecordKey: HeldRecord] {
        var records: [RecordKey: HeldRecord] = [:]
        for row in self {
            records[RecordKey(rawValue: row.int64(at: 0))] = HeldRecord(
                entity: try row.number(at: 1), byteCount: try row.amount(at: 7),
                dead: try row.unsigned(at: 6), values: row.isNull(at: 4) ? nil : try row.stateRow())
        }
        return records
    }
}
