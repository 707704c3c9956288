import AnabranchReplication
import AnabranchSQLite

/// The records of the zone's settings among a file's deferred rows.
struct ZoneSettingRows {
    let connection: Connection

    /// The record with the smallest ID, which gets all writes of this file; `nil` if there is none.
    func record() throws -> LocalID? {
        let id = try connection.firstValue(
            "SELECT min(record) FROM ab_deferred_record WHERE entity = 'ab_zone'")
        guard case .integer(let id)? = id else { return nil }
        return id
    }

    /// The greatest value that a record has for a setting that only rises; `nil` if none has one.
    ///
    /// Replicas that set it before they have met each make a record.
    func greatest(_ property: WireProperty) throws -> Int64? {
        let statement = try connection.cached(
            """
            SELECT c.value FROM ab_deferred_record r
            JOIN ab_deferred_cell c ON c.record = r.record AND c.name = ? AND c.type = ?
                AND c.rule = ?
            WHERE r.entity = 'ab_zone'
            """, property.columns)
        var greatest: Int64?
        while try statement.step() {
            guard case .integer(let value) = try statement.taggedValue(at: 0) else { continue }
            greatest = max(greatest ?? value, value)
        }
        return greatest
    }
}
