import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Writes a save of new records from a request that comes in pieces.
    ///
    /// Keys are checked after each piece, against all records before it.
    mutating func run(_ request: SaveInPieces) throws {
        try checkNames(request.author, request.name)
        transaction.isSaving = true
        let limit = connection.lengthLimit
        connection.lengthLimit = partLimits.recordBytes
        defer { connection.lengthLimit = limit }
        var constraints = UniqueKeyCheck(transaction)
        do {
            while let piece = try request.next() {
                try write(piece)
                if !schema.constraints.isEmpty { try constraints.check(piece) }
            }
        } catch let error as SQLiteError where error.code == .tooBig {
            throw recordTooLarge([present], error)
        }
        _ = try finish(author: request.author, name: request.name)
    }

    private mutating func write(_ piece: SaveRequest) throws {
        var piece = piece
        piece.updates = try piece.updates.map { try withPresentVersions($0) }
        let unsynced = takeUnsynced(from: &piece)
        for list in piece.lists { try lists.place(list) }
        for insert in piece.inserts { try write(insert) }
        for update in piece.updates { try write(update) }
        if !piece.links.isEmpty { try write(piece.links, moves: []) }
        if let unsynced { try writeUnsynced(unsynced) }
        try checkVersions()
    }

    private func withPresentVersions(_ update: SaveRequest.Update) throws -> SaveRequest.Update {
        var update = update
        let statement = try connection.cached(schema.layout(of: update.entity).versionSQL)
        update.versions = try update.rows.ids.map { id in
            try statement.bind(id, at: 1)
            defer { statement.reset() }
            return try statement.step() ? RowVersion(statement.int64(at: 1)) : .none
        }
        return update
    }
}
