import AnabranchSQLite

/// The position up to which saves may have been removed from the history of a file.
///
/// Saves are removed in the order of the zone's log, and the history is in the order of this file's
/// log, so a few saves before the position may still be there.
struct TrimmedLog {
    let connection: Connection

    private static let key = "log-trimmed"

    /// The greatest position of a removed save; zero if none was removed.
    func lastPosition() throws -> Int64 { try connection.metaNumber(Self.key) ?? 0 }

    func raise(to position: Int64) throws {
        try connection.setMeta(
            Self.key, .integer(position), joining: "max(value, excluded.value)")
    }
}
