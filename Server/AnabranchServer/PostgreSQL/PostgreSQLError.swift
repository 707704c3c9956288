/// An error of PostgreSQL or of the connection to it.
package struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The five characters of `SQLSTATE`; `nil` if the connection itself failed.
    package let state: String?
    /// True if the connection can't be used any more. The result of a running transaction is
    /// unknown.
    package let isConnectionLost: Bool

    package init(_ description: String, state: String? = nil, isConnectionLost: Bool = false) {
        self.description = description
        self.state = state
        self.isConnectionLost = isConnectionLost
    }
}

extension PostgreSQLError {
    /// The kinds of error that a caller handles differently.
    enum Kind {
        /// Another transaction was in the way, and this one changed nothing: run it again.
        case conflict
        /// The database can't be reached or can't serve now: try again later.
        case unavailable
        /// A statement waited too long for a lock or ran too long: try again later.
        case busy
        /// The disk of the database is full.
        case full
        case other
    }

    /// The kind, by the classes and codes of `SQLSTATE` in PostgreSQL's manual, appendix A.
    var kind: Kind {
        guard let state else { return isConnectionLost ? .unavailable : .other }
        switch state {
        case "40001", "40P01": return .conflict
        case "55P03", "57014": return .busy
        case "53100": return .full
        // A server that is a standby, that starts or stops, or that has too many connections.
        case "25006", "53300", "57P01", "57P02", "57P03", "57P05", "25P03": return .unavailable
        default: return state.hasPrefix("08") ? .unavailable : .other
        }
    }
}
