/// The location of zones and tokens: `sqlite:DIRECTORY`, or the URL of a PostgreSQL database.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
    enum Place: Hashable, Sendable {
        case directory(String)
        case database(PostgreSQLLocation)
    }

    let place: Place

    /// Parses a location.
    ///
    /// - Throws: ``HTTPServerError`` with the forms to write. It has nothing of the text, in which
    ///   a password may stand.
    public init(_ text: String) throws(HTTPServerError) {
        let prefix = "sqlite:"
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            do { place = .database(try PostgreSQLLocation(text)) } catch {
                throw HTTPServerError("\(error)")
            }
            return
        }
        guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else {
            throw HTTPServerError(
                "Can't use this text as a store: write sqlite:DIRECTORY, for example "
                    + "sqlite:/var/lib/anabranch, or postgres://USER@HOST/DATABASE.")
        }
        place = .directory(String(text.dropFirst(prefix.count)))
    }

    /// The path of the directory; `nil` for a database.
    public var directory: String? {
        if case .directory(let path) = place { path } else { nil }
    }

    /// The location without a password. A directory's is in the form that the initializer reads.
    public var description: String {
        switch place {
        case .directory(let path): "sqlite:\(path)"
        case .database(let address): address.description
        }
    }
}
