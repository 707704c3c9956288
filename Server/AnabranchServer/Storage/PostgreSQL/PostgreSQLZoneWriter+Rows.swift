import AnabranchReplication

extension PostgreSQLZoneWriter {
    func removeAll() throws {
        for table in [
            "log", "record", "link", "replica", "entity", "property", "acknowledgement", "part",
            "log_part", "stage",
        ] {
            _ = try query("DELETE FROM anabranch.\(table) WHERE zone = $1")
        }
        names.forget()
        forgetHeld()
        row.clear()
    }

    func beginEpoch(_ epoch: EpochID) throws { row.begin(epoch, in: row.history) }

    func setLog(_ state: LogState) throws {
        row.epochs = state.history
        row.greatestTimestamp = state.greatestTimestamp.rawValue
        row.startPosition = state.startPosition
    }

    func insert(_ rows: ZoneRows) throws {
        let zone = PostgreSQLValue.text(zone)
        forgetHeld()
        switch rows {
        case .replicas(let rows):
            row.replicas = max(row.replicas, (rows.last?.ordinal ?? -1) + 1)
            _ = try query(
                """
                INSERT INTO anabranch.replica(zone, ordinal, id, sequence, origin)
                SELECT $1, ordinal, id, sequence, origin
                FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[])
                    AS new(ordinal, id, sequence, origin)
                """, .integers(rows.map(\.ordinal)), .blobs(rows.map(\.id.bytes)),
                .integers(rows.map { Int64(clamping: $0.head?.sequence ?? 0) }),
                .blobs(rows.map { $0.head?.origin.bytes }))
        case .entities(let rows):
            row.entities = max(row.entities, (rows.last?.number ?? -1) + 1)
            for each in rows { row.count(bytes: Int64(each.name.countedBytes)) }
            _ = try session.run(ZoneChanges.inserting(entities: rows, zone))
        case .properties(let rows):
            row.properties = max(row.properties, (rows.last?.number ?? -1) + 1)
            for each in rows { row.count(bytes: Int64(each.property.name.countedBytes)) }
            _ = try session.run(ZoneChanges.inserting(properties: rows, zone))
        case .entries(let rows): try insert(entries: rows)
        case .records(let rows):
            for each in rows {
                row.count(bytes: each.row.countedBytes, records: each.dead == 0 ? 1 : 0)
            }
            _ = try session.run(
                ZoneChanges.inserting(
                    rows.map { HeldRow(row: $0.row, dead: Int64(clamping: $0.dead)) }, self.zone))
        case .links(let rows):
            for each in rows { row.count(bytes: Int64(each.tags.count)) }
            _ = try session.run(ZoneChanges.inserting(links: rows, self.zone))
        case .acknowledgements(let positions): try acknowledge(positions)
        case .logParts(let rows):
            for (part, position) in rows { try putInLog([part], at: position) }
        case .pieces(let rows):
            for row in rows {
                self.row.count(bytes: Int64(row.bytes.count))
                _ = try session.run(
                    PostgreSQLStatement(
                        """
                        INSERT INTO anabranch.part(zone, digest, size, start, bytes)
                        VALUES ($1, $2, $3, $4, $5)
                        """,
                        [zone] + row.part.name + [.integer(Int64(row.start)), .bytes(row.bytes)],
                        changing: 1))
            }
        }
    }

    private func insert(entries rows: [LogRow]) throws {
        if let last = rows.last {
            row.position = last.position
            row.running = last.running
        }
        for each in rows { row.count(bytes: Int64(each.changeSet.count)) }
        _ = try session.run(ZoneChanges.inserting(entries: rows, zone))
    }
}
