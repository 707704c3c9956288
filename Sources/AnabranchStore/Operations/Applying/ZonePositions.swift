import AnabranchReplication
import AnabranchSQLite

/// The zone positions of the change sets in this file's log.
struct ZonePositions {
    private let transaction: StateTransaction

    private var connection: Connection { transaction.connection }

    init(_ transaction: StateTransaction) { self.transaction = transaction }

    func record(_ place: CausalContext.Prefix, ofSetAt localPosition: Int64) throws {
        try connection.run(
            "UPDATE ab_changeset SET epoch = ?, server_position = ? WHERE position = ?",
            .blob(place.epoch.bytes), .integer(Int64(bitPattern: place.position)),
            .integer(localPosition))
        transaction.knownLog.place(place.position)
        transaction.journal.forgetPlaces()
    }

    func forget(ofSetAt localPosition: Int64) throws {
        try connection.run(
            "UPDATE ab_changeset SET epoch = NULL, server_position = NULL WHERE position = ?",
            .integer(localPosition))
        try transaction.log.lowerPlaced(below: localPosition)
        transaction.journal.forgetPlaces()
    }
}
