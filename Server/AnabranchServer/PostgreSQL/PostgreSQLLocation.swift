import CPostgreSQL

/// The address of a PostgreSQL database, written as a URL: `postgres://USER@HOST/DATABASE`.
///
/// The URL may name several hosts and any option of libpq. Without such options, connections go to
/// a server that accepts writes, give up after five seconds, and notice a lost peer within half a
/// minute.
package struct PostgreSQLLocation: Hashable, Sendable {
    /// The options of libpq by name, from the URL and the defaults.
    private(set) var options: [String: String]

    /// The name of this process in the database's list of connections.
    var applicationName: String { options["application_name"] ?? "" }

    /// The same database, under another name of this process.
    func named(_ name: String) -> PostgreSQLLocation {
        var location = self
        location.options["application_name"] = name
        return location
    }

    /// Parses a URL.
    ///
    /// - Throws: ``PostgreSQLError`` with the cause that libpq gives.
    package init(_ url: String) throws {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            let cause = message.map { String(cString: $0).oneLine } ?? "out of memory"
            throw PostgreSQLError("Can't read the address of the database because \(cause).")
        }
        defer { PQconninfoFree(parsed) }
        var options = Self.defaults
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                options[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        self.options = options
    }

    private static let defaults = [
        "application_name": "anabranchd", "client_encoding": "UTF8", "connect_timeout": "5",
        "target_session_attrs": "read-write", "keepalives_idle": "10", "keepalives_interval": "5",
        "keepalives_count": "3", "tcp_user_timeout": "30000",
    ]
}

extension PostgreSQLLocation: CustomStringConvertible {
    /// The address without user and password.
    package var description: String {
        let host = options["host"] ?? options["hostaddr"] ?? "localhost"
        return "postgres://\(host)/\(options["dbname"] ?? "")"
    }
}
