import AnabranchProtocol

extension StoredColumns {
    /// Reads the columns number, zone, role, created, used and revoked.
    func token() throws -> Token {
        guard let role = TokenRole(rawValue: string(at: 2)) else {
            throw StorageError(
                .damaged, "Can't read token \(int64(at: 0)) because its role is not known.")
        }
        return Token(
            number: int64(at: 0), zone: try ZoneName(string(at: 1)), role: role,
            created: int64(at: 3), lastUsed: isNull(at: 4) ? nil : int64(at: 4),
            revoked: isNull(at: 5) ? nil : int64(at: 5))
    }
}
