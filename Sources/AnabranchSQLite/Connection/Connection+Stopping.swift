import CSQLite

extension Connection {
    /// The steps of SQLite's virtual machine after which a running statement asks if it must stop.
    ///
    /// They take some ten microseconds.
    private static let stepsBetweenQuestions: Int32 = 1000

    /// Ends statements with the error `interrupt` as soon as a condition is true.
    ///
    /// A statement asks again and again while it runs, and short ones ask now and then. The COMMIT
    /// and the ROLLBACK of ``transaction(_:_:)`` do not ask, so what was committed is never
    /// reported as interrupted. A wait for another connection's lock does not ask either.
    ///
    /// - Parameter condition: It must not use the connection.
    public func stop(when condition: @escaping () -> Bool) throws {
        let database = try openDatabase(to: "set when statements stop")
        stopCondition = condition
        sqlite3_progress_handler(
            database, Self.stepsBetweenQuestions,
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                return connection.mustStop ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends the statements of a body as soon as a condition is true, see ``stop(when:)``.
    ///
    /// Afterwards the connection has no condition.
    public func stopping<Result>(
        when condition: @escaping () -> Bool, _ body: () throws -> Result
    ) throws -> Result {
        try stop(when: condition)
        defer {
            stopCondition = nil
            sqlite3_progress_handler(database, 0, nil, nil)
        }
        return try body()
    }

    private var mustStop: Bool { !isEndingTransaction && stopCondition?() == true }
}
