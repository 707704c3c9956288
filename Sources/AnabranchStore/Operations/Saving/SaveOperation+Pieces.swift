import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Writes a save of new records from a request that comes in pieces.
    ///
    /// Keys are checked after each piece, against all records before it.
    mutating func run(
        author: String, name: String, pieces: () throws -> SaveRequest?
    ) throws -> SaveResult {
        try checkNames(author, name)
        transaction.views.isSaving = true
        let limit = connection.lengthLimit
        connection.lengthLimit = partLimits.recordBytes
        defer { connection.lengthLimit = limit }
        var constraints = UniqueKeyCheck(transaction)
        do {
            while let piece = try pieces() {
                try write(piece)
                if !schema.constraints.isEmpty { try constraints.check(piece) }
            }
        } catch let error as SQLiteError where error.code == .tooBig {
            throw recordTooLarge([present], error)
        }
        return try finish(author: author, name: name)
    }

    private mutating func write(_ piece: SaveRequest) throws {
        let (synced, unsynced) = piece.divided(by: schema)
        for list in synced.lists { try lists.place(list) }
        for insert in synced.inserts { try write(insert) }
        if !synced.links.isEmpty { try write(synced.links, moves: []) }
        try writeUnsynced(unsynced)
        try checkVersions()
    }
}
