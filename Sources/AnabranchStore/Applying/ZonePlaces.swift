import AnabranchReplication
import AnabranchSQLite

/// Where the zone's log has the sets of this file's log.
struct ZonePlaces {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func note(_ place: CausalContext.Prefix, ofSetAt localPosition: Int64) throws {
        try connection.run(
            "UPDATE ab_changeset SET epoch = ?, server_position = ? WHERE position = ?",
            .blob(place.epoch.bytes), .integer(Int64(bitPattern: place.position)),
            .integer(localPosition))
    }

    func forget(ofSetAt localPosition: Int64) throws {
        try connection.run(
            "UPDATE ab_changeset SET epoch = NULL, server_position = NULL WHERE position = ?",
            .integer(localPosition))
    }
}
