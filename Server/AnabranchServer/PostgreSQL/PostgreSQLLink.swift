/// A connection to a database, as sessions use it: one thread at a time.
///
/// The server has one kind, ``PostgreSQLConnection``. A simulation provides another one, with
/// statements that may fail in every way in which a real connection fails.
package protocol PostgreSQLLink: AnyObject {
    /// True if the server has sent nothing since the last answer. It costs no round trip.
    var isAlive: Bool { get }
    /// True after a failure of the connection, which then must not be used again.
    var isBroken: Bool { get }

    /// True if the connection keeps the memory of a large value that it has carried.
    var keepsMuchMemory: Bool { get }

    /// Marks the connection as one that must not be used again.
    func abandon()

    /// Runs statements in their order, in one round trip; the first failure ends the group.
    ///
    /// - Returns: One result for each statement.
    ///
    /// - Throws: ``PostgreSQLError``. If it says that the connection is lost, the result of the
    ///   group is unknown.
    func run(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows]

    /// Waits until a notification arrives.
    ///
    /// - Returns: All notifications that have arrived; empty if none came in time.
    func notifications(within time: Duration) throws -> [PostgreSQLNotification]
}

/// The words of a notification.
package struct PostgreSQLNotification: Hashable, Sendable {
    package var channel: String
    package var payload: String
}

extension PostgreSQLLink {
    package var keepsMuchMemory: Bool { false }

    @discardableResult
    func run(_ statement: PostgreSQLStatement) throws -> PostgreSQLRows {
        try run([statement])[0]
    }
}
