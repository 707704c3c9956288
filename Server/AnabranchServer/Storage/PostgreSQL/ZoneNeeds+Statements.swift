import AnabranchReplication

// One statement for each kind of need. They are sent with the lock of the zone, and see what the
// lock's former holder has committed.
extension ZoneNeeds {
    /// The greatest number of bytes of records' values that are read before they are asked for.
    static let bytesTogether = 2 << 20

    /// The statements; empty if nothing is needed.
    func statements(for zone: String) -> [PostgreSQLStatement] {
        guard self != ZoneNeeds() else { return [] }
        let dots = Array(dots)
        let records = Array(records)
        return [
            PostgreSQLStatement(
                """
                SELECT id, ordinal, sequence, origin FROM anabranch.replica
                WHERE zone = $1 AND id = ANY($2)
                """, .text(zone), .blobs(allReplicas.map(\.bytes))),
            PostgreSQLStatement(
                """
                SELECT \(PostgreSQLZoneReader.placeColumns) FROM anabranch.log AS l
                WHERE zone = $1 AND origin = ANY($2)
                """, .text(zone), .blobs(origins.map(\.bytes))),
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
        replicas.union(dots.lazy.map(\.replica)).union(records.lazy.map(\.replica))
    }

    /// Reads the results of the statements.
    ///
    /// - Parameters:
    ///   - names: Gets the ordinals of the replicas.
    ///   - place: Reads the place in a row.
    func held(
        _ results: [PostgreSQLRows], names: ZoneNameCache,
        place: (PostgreSQLRows.Row) throws -> ZoneLogLocation
    ) throws -> HeldState {
        var held = HeldState()
        guard !results.isEmpty else { return held }
        held.absentReplicas = allReplicas
        for replica in allReplicas { held.heads.updateValue(nil, forKey: replica) }
        for row in results[0] {
            let id = try row.replica(at: 0)
            names.insert(id, ordinal: try row.ordinal(at: 1))
            held.absentReplicas.remove(id)
            guard row.int64(at: 2) > 0 else { continue }
            held.heads[id] = .some(
                ReplicaHead(sequence: try row.unsigned(at: 2), origin: try row.digest(at: 3)))
        }
        for origin in origins { held.places.updateValue(nil, forKey: origin) }
        for row in results[1] {
            let found = try place(row)
            held.places[found.origin] = .some(found)
        }
        for dot in dots { held.placesByDot.updateValue(nil, forKey: dot) }
        for row in results[2] {
            let found = try place(row)
            held.placesByDot[found.dot] = .some(found)
        }
        let keys = records.compactMap { record in
            names.ordinals[record.replica].map { RecordKey(ordinal: $0, number: record.number) }
        }
        try held.take(results[3], of: keys)
        return held
    }
}
