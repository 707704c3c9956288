import AnabranchProtocol

extension StoredColumns {
    /// Reads the columns number, zone, role, created, used, revoked and expires.
    func token() throws -> AccessToken {
        guard let role = TokenRole(rawValue: string(at: 2)) else {
            throw StorageError(
                .damaged, "Can't read token \(int64(at: 0)) because its role is not known.")
        }
        return AccessToken(
            number: int64(at: 0), zones: try ZonePattern(string(at: 1)), role: role,
            created: int64(at: 3), expires: isNull(at: 6) ? nil : int64(at: 6),
            lastUsed: isNull(at: 4) ? nil : int64(at: 4),
            revoked: isNull(at: 5) ? nil : int64(at: 5))
    }
}
