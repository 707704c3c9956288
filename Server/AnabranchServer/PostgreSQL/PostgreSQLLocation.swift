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
    /// - Throws: ``PostgreSQLError`` with the cause that libpq gives if the URL can have no
    ///   password, which libpq would quote. Otherwise it has nothing of the URL.
    package init(_ url: String) throws {
        var message: UnsafeMutablePointer<CChar>?
        guard Self.hasOneUser(url), let parsed = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            guard let message, !Self.mayHavePassword(url) else { throw Self.unreadable }
            throw PostgreSQLError(
                "Can't read the address of the database because "
                    + "\(String(cString: message).oneLine).")
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
        guard Self.isPort(options["port"] ?? "") else { throw Self.unreadable }
    }

    private static let unreadable = PostgreSQLError(
        "Can't read the address of the database because it has not the form "
            + "postgres://USER:PASSWORD@HOST:PORT/DATABASE, or has an unknown option: in user and "
            + "password write %25 for %, %40 for @, %2F for / and %3A for a colon.")

    private static func mayHavePassword(_ url: String) -> Bool {
        url.contains("@") || url.contains("%") || url.lowercased().contains("password")
    }

    /// False if the user or the password has an `@` or a `/` that is not escaped.
    ///
    /// libpq would take the rest of the password for the host, and errors would name it.
    private static func hasOneUser(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let address = url[scheme.upperBound...].prefix { $0 != "?" }
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count <= 2 && (parts.count == 1 || !parts[0].contains("/"))
    }

    /// True for the ports of one or more hosts; an empty one is the usual port.
    private static func isPort(_ text: String) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ",") }
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
