package import AnabranchReplication

extension ZoneDraft {
    /// Removes everything but the zone's epochs, so that rows of a copy can be inserted.
    package func removeAll() throws {
        try send()
        try stored.removeAll()
        forget()
        names.forget()
        row.clear()
        unwritten = row.next
    }

    /// Inserts rows of a copy; the zone must have none with the same keys.
    package func insert(_ rows: ZoneRows) throws {
        try send()
        forget()
        count(rows)
        switch rows {
        case .acknowledgements(let positions):
            for (replica, position) in positions { acknowledgements.put(position, at: replica) }
        case .logParts(let rows):
            for (part, position) in rows { try putInLog([part], at: position) }
        default: try stored.write(ZoneChanges(inserted: [rows]))
        }
        unwritten = row.next
    }

    private func count(_ rows: ZoneRows) {
        switch rows {
        case .replicas(let rows):
            row.next.replica = max(row.next.replica, (rows.map(\.ordinal).max() ?? -1) + 1)
        case .entities(let rows):
            row.next.entity = max(row.next.entity, (rows.map(\.number).max() ?? -1) + 1)
            for each in rows { row.count(bytes: Int64(each.name.countedBytes)) }
        case .properties(let rows):
            row.next.property = max(row.next.property, (rows.map(\.number).max() ?? -1) + 1)
            for each in rows { row.count(bytes: Int64(each.property.name.countedBytes)) }
        case .entries(let rows):
            if let last = rows.last { (row.position, row.running) = (last.position, last.running) }
            for each in rows { row.count(bytes: Int64(each.changeSet.count)) }
        case .records(let rows):
            for each in rows {
                row.count(bytes: each.row.countedBytes, records: each.dead == 0 ? 1 : 0)
            }
        case .links(let rows): for each in rows { row.count(bytes: Int64(each.tags.count)) }
        case .pieces(let rows): for each in rows { row.count(bytes: Int64(each.bytes.count)) }
        case .acknowledgements, .logParts: break
        }
    }

    /// Begins an epoch at the end of the log.
    package func beginEpoch(_ epoch: EpochID) { row.begin(epoch, in: row.history) }

    /// Replaces the epochs, the greatest timestamp and the first position of the log.
    package func setLog(_ state: LogState) {
        row.epochs = state.history
        row.greatestTimestamp = state.greatestTimestamp.rawValue
        row.startPosition = state.startPosition
    }
}
