extension AuditLog {
    /// Writes the line of a created or revoked token, without its secret.
    ///
    /// - Throws: ``HTTPServerError`` if not the whole line could be written.
    public func write(_ record: TokenRecord) throws {
        var line = begin(record.event.rawValue)
        line.append("zone", record.token.zones.description)
        line.append("token", record.token.number)
        line.append("role", record.token.role.rawValue)
        line.append("expires", record.token.expires.map { ShownTime.text(wallMilliseconds: $0) })
        line.append("account", record.account)
        try write(line)
    }
}
