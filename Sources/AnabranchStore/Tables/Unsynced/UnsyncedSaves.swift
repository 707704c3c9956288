import AnabranchReplication
import AnabranchSQLite

/// The table `ab_unsynced` on one connection: the history of records that are kept in this store
/// only, by which other contexts and processes find what to refresh.
struct UnsyncedSaves {
    let connection: Connection
    let schema: StoreSchema

    func append(_ save: UnsyncedSave, ordinal: Int64) throws {
        var writer = ByteWriter()
        writer.append(count: save.changes.count)
        for change in save.changes { change.append(to: &writer, in: schema) }
        try connection.run(
            """
            INSERT INTO ab_unsynced (position, replica, hlc, author, name, changes)
            VALUES (?, ?, ?, ?, ?, ?)
            """, .integer(save.position), .integer(ordinal),
            .integer(Int64(bitPattern: save.timestamp.rawValue)), .text(save.author),
            .text(save.name), .blob(writer.bytes))
    }

    /// The saves after a position, oldest first.
    func saves(after position: Int64, limit: Int) throws -> [UnsyncedSave] {
        guard schema.hasUnsyncedEntities else { return [] }
        let statement = try connection.cached(
            """
            SELECT position, hlc, author, name, changes FROM ab_unsynced WHERE position > ?
            ORDER BY position LIMIT ?
            """, position, Int64(limit))
        var saves: [UnsyncedSave] = []
        while try statement.step() {
            let position = statement.int64(at: 0)
            saves.append(
                UnsyncedSave(
                    position: position,
                    timestamp: HybridTimestamp(
                        rawValue: UInt64(bitPattern: statement.int64(at: 1))),
                    author: statement.string(at: 2), name: statement.string(at: 3),
                    changes: try changes(in: statement.bytes(at: 4), at: position)))
        }
        return saves
    }

    private func changes(in bytes: [UInt8], at position: Int64) throws -> [UnsyncedChange] {
        do throws(ChangeSetDecodingError) {
            var reader = ByteReader(bytes)
            var changes: [UnsyncedChange] = []
            for _ in 0..<(try reader.readQuantity()) {
                if let change = try UnsyncedChange.read(&reader, in: schema) {
                    changes.append(change)
                }
            }
            try reader.expectEnd()
            return changes
        } catch {
            throw StoreError(
                .corrupt,
                "Can't read the history of unsynced objects at position \(position) because it is "
                    + "damaged: \(error.cause).", underlying: error)
        }
    }

    /// The position of the last save; zero if there is none.
    func lastPosition() throws -> Int64 {
        guard schema.hasUnsyncedEntities,
            case .integer(let position)? = try connection.firstValue(
                "SELECT max(position) FROM ab_unsynced")
        else { return 0 }
        return position
    }
}

extension StoreReader {
    /// The parts of saves that changed records which are kept in this store only, after a position,
    /// oldest first.
    package func unsyncedSaves(after position: Int64, limit: Int) throws -> [UnsyncedSave] {
        try UnsyncedSaves(connection: connection, schema: schema)
            .saves(after: position, limit: limit)
    }
}
