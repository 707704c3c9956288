import AnabranchSQLite

extension SQLiteZoneReader {
    package func quotas() throws -> ZoneQuotas {
        let row = try connection.cached(
            "SELECT quota_bytes, quota_records, quota_replicas, quota_daily_bytes FROM zone")
        guard try row.step() else { throw damaged("its zone row is missing") }
        var quotas = ZoneQuotas()
        for (column, quantity) in ZoneQuotas.Quantity.allCases.enumerated() {
            quotas[quantity] = ZoneQuotas.Limit(
                stored: row.isNull(at: column) ? nil : row.int64(at: column))
        }
        return quotas
    }
}

extension SQLiteZoneWriter {
    package func setQuotas(_ quotas: ZoneQuotas) throws {
        let values = ZoneQuotas.Quantity.allCases.map { quantity -> SQLiteValue in
            quotas[quantity].stored.map { .integer($0) } ?? .null
        }
        try connection.run(
            """
            UPDATE zone SET quota_bytes = ?, quota_records = ?, quota_replicas = ?,
                quota_daily_bytes = ?
            """, values[0], values[1], values[2], values[3])
    }

    package func setPushed(_ bytes: Int64, on day: Int64) throws {
        try count {
            $0.day = day
            $0.dayBytes = bytes
        }
    }

    package func setUse(_ counts: ZoneCounts) throws {
        try count {
            $0.bytes = counts.bytes
            $0.records = counts.records
        }
    }

    /// Changes the counters.
    func count(_ change: (inout ZoneUse) -> Void) throws {
        var use = try use()
        change(&use)
        kept.use = use
        kept.isRowChanged = true
    }

    func count(bytes: Int, records: Int64 = 0) throws {
        guard bytes != 0 || records != 0 else { return }
        try count {
            $0.bytes += Int64(bytes)
            $0.records += records
        }
    }

    /// Uncounts a record before it is replaced or removed.
    ///
    /// - Returns: False if the zone does not hold the record.
    @discardableResult
    func uncount(_ key: RecordKey) throws -> Bool {
        let row = try connection.cached(
            "SELECT length(cells) + coalesce(length(seen), 0), dead FROM record WHERE key = ?",
            key.rawValue)
        guard try row.step() else { return false }
        try count(bytes: -Int(row.int64(at: 0)), records: row.int64(at: 1) == 0 ? -1 : 0)
        return true
    }

    /// Uncounts a link before it is replaced or removed.
    func uncount(_ link: LinkKey) throws {
        let row = try connection.cached(
            "SELECT length(tags) FROM link WHERE left = ? AND property = ? AND right = ?")
        try bind(link, to: row)
        guard try row.step() else { return }
        try count(bytes: -Int(row.int64(at: 0)))
    }

    /// Uncounts bytes that the caller is about to remove.
    ///
    /// - Parameter rows: The value of each row, and the rest of the statement after it.
    func uncount(sumOf value: String, _ rows: String, _ values: SQLiteValue...) throws {
        let statement = try connection.prepare("SELECT coalesce(sum(\(value)), 0) \(rows)")
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        guard try statement.step() else { return }
        try count(bytes: -Int(statement.int64(at: 0)))
    }
}
