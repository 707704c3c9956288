import CPostgreSQL
import Foundation

/// One connection to a database, used by one thread at a time.
///
/// Statements are sent in groups: a group costs one round trip, whatever its size. Each statement
/// is prepared at its first use. No call waits longer than the time-out, also if the server stops
/// to answer without closing the connection, or much longer than a ``StopSignal`` allows.
final class PostgreSQLConnection: PostgreSQLLink {
    private let connection: OpaquePointer
    private let timeout: Duration
    private let stop: StopSignal
    private var prepared: [String: String] = [:]
    private var nameCount = 0
    private(set) package var isBroken = false
    /// The most bytes of one statement's parameters or rows.
    private var mostBytes = 0

    /// The names of statements are few, because their texts are constants; this bounds mistakes.
    private static let maximumPrepared = 500

    /// Connects.
    ///
    /// - Parameters:
    ///   - timeout: The longest time for one group of statements.
    ///   - stop: Ends groups of statements, after which the connection is broken.
    init(
        _ location: PostgreSQLLocation, timeout: Duration, stop: StopSignal = StopSignal()
    ) throws {
        self.timeout = timeout
        self.stop = stop
        let options = location.options.sorted { $0.key < $1.key }
        let started = withCStrings(options.map(\.key)) { keywords in
            withCStrings(options.map(\.value)) { values in PQconnectdbParams(keywords, values, 0) }
        }
        guard let started else {
            throw PostgreSQLError("There is no memory for a connection.", isConnectionLost: true)
        }
        connection = started
        guard PQstatus(connection) == CONNECTION_OK else {
            throw lost("Can't connect to \(location)")
        }
        // Warnings of the server are not for the daemon's standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        PQsetnonblocking(connection, 1)
        PQenterPipelineMode(connection)
    }

    deinit { PQfinish(connection) }

    /// The error for a connection that can't be used any more.
    private func lost(_ action: String) -> PostgreSQLError {
        isBroken = true
        let cause = String(cString: PQerrorMessage(connection)).oneLine
        return PostgreSQLError(
            "\(action) because \(cause.isEmpty ? "the connection was closed" : cause).",
            isConnectionLost: true)
    }

    /// True if the local socket has received nothing since the last answer.
    ///
    /// To an idle connection a server says only that it ends.
    package var isAlive: Bool {
        guard !isBroken else { return false }
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 0
    }

    package func abandon() { isBroken = true }

    /// libpq never makes its buffers smaller.
    package var keepsMuchMemory: Bool { mostBytes > Self.mostKeptBytes }
    private static let mostKeptBytes = 20 << 20

    package func run(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        guard !isBroken else {
            throw PostgreSQLError("The connection was lost before.", isConnectionLost: true)
        }
        try checkStop()
        let deadline = ContinuousClock.now + timeout
        if prepared.count > Self.maximumPrepared { try deallocate(deadline) }
        let steps = try statements.flatMap { try send($0) }
        guard PQpipelineSync(connection) == 1 else { throw lost("Can't send a statement") }
        try flush(until: deadline)
        return try results(of: steps, until: deadline)
    }

    package func notifications(within time: Duration) throws -> [PostgreSQLNotification] {
        var found: [PostgreSQLNotification] = []
        let deadline = ContinuousClock.now + time
        while true {
            guard PQconsumeInput(connection) == 1 else { throw lost("Can't listen") }
            while let notification = PQnotifies(connection) {
                found.append(
                    PostgreSQLNotification(
                        channel: String(cString: notification.pointee.relname),
                        payload: String(cString: notification.pointee.extra)))
                PQfreemem(notification)
            }
            guard found.isEmpty, try isReady(for: POLLIN, until: deadline) else { return found }
        }
    }

    // MARK: Sending

    private enum Step {
        case preparation(sql: String, name: String)
        case execution(PostgreSQLStatement)
    }

    private func newName() -> String {
        nameCount += 1
        return "s\(nameCount)"
    }

    private func send(_ statement: PostgreSQLStatement) throws -> [Step] {
        var steps: [Step] = []
        let name = prepared[statement.sql] ?? newName()
        if prepared[statement.sql] == nil {
            guard PQsendPrepare(connection, name, statement.sql, 0, nil) == 1 else {
                throw lost("Can't send a statement")
            }
            prepared[statement.sql] = name
            steps.append(.preparation(sql: statement.sql, name: name))
        }
        let isSent = withParameters(statement.parameters) { count, values, lengths, formats in
            PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost("Can't send a statement") }
        return steps + [.execution(statement)]
    }

    /// Calls `body` with the parameters in the form of libpq.
    private func withParameters<Result>(
        _ parameters: [PostgreSQLValue],
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let encoded = parameters.map(\.encoded)
        let lengths = encoded.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        mostBytes = max(mostBytes, encoded.reduce(0) { $0 + ($1?.count ?? 0) })
        return Self.withPointers(to: encoded[...], []) { values in
            values.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(
                            Int32(parameters.count), values.baseAddress, lengths.baseAddress,
                            formats.baseAddress)
                    }
                }
            }
        }
    }

    /// Calls `body` with the addresses of values, which may be too large to be copied.
    private static func withPointers<Result>(
        to values: ArraySlice<[UInt8]?>, _ pointers: [UnsafePointer<CChar>?],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        guard let first = values.first else { return body(pointers) }
        let rest = values.dropFirst()
        guard let first else { return withPointers(to: rest, pointers + [nil], body) }
        // A value without bytes has an address too, because NULL has none.
        return (first.isEmpty ? [0] : first).withUnsafeBytes { bytes in
            withPointers(
                to: rest, pointers + [bytes.bindMemory(to: CChar.self).baseAddress], body)
        }
    }

    private func flush(until deadline: ContinuousClock.Instant) throws {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may wait for its answers to be read before it reads on.
                guard try isReady(for: POLLIN | POLLOUT, until: deadline) else {
                    throw overdue()
                }
                guard PQconsumeInput(connection) == 1 else { throw lost("Can't send a statement") }
            default: throw lost("Can't send a statement")
            }
        }
    }

    /// Waits for the socket.
    ///
    /// - Returns: False at the deadline.
    private func isReady(
        for events: Int32, until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        while true {
            try checkStop()
            let left = deadline - ContinuousClock.now
            let milliseconds = Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
            guard milliseconds > 0 else { return false }
            var descriptor = pollfd(
                fd: PQsocket(connection), events: Int16(truncatingIfNeeded: events), revents: 0)
            let found = poll(&descriptor, 1, min(milliseconds, StopSignal.waitMilliseconds))
            if found < 0, errno != EINTR { throw lost("Can't wait for the database") }
            if found != 0 { return true }
        }
    }

    /// Gives the connection up if the server stops: a statement may be running, which the database
    /// ends when it notices that.
    private func checkStop() throws {
        guard stop.isOver else { return }
        isBroken = true
        throw StopSignal.error
    }

    private func overdue() -> PostgreSQLError {
        isBroken = true
        return PostgreSQLError(
            "The database did not answer within \(timeout).", isConnectionLost: true)
    }

    // MARK: Receiving

    private func results(
        of steps: [Step], until deadline: ContinuousClock.Instant
    ) throws -> [PostgreSQLRows] {
        var rows: [PostgreSQLRows] = []
        var failure: PostgreSQLError?
        for step in steps {
            let result = try nextResult(until: deadline)
            let status = PQresultStatus(result)
            let taken = PostgreSQLRows(result)
            switch status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                if case .execution(let statement) = step {
                    mostBytes = max(mostBytes, taken.byteCount)
                    failure = failure ?? mismatch(of: taken, with: statement)
                    rows.append(taken)
                }
            case PGRES_PIPELINE_ABORTED: forget(step)
            default:
                forget(step)
                failure = failure ?? error(of: result, in: step)
            }
            // Each result is followed by the end of its statement's results.
            try waitForInput(until: deadline)
            if let further = PQgetResult(connection) { PQclear(further) }
        }
        let end = try nextResult(until: deadline)
        let isEnd = PQresultStatus(end) == PGRES_PIPELINE_SYNC
        PQclear(end)
        guard isEnd, PQstatus(connection) == CONNECTION_OK else {
            throw lost("Can't read an answer of the database")
        }
        if let failure { throw failure }
        return rows
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws -> OpaquePointer {
        try waitForInput(until: deadline)
        guard let result = PQgetResult(connection) else {
            throw lost("Can't read an answer of the database")
        }
        return result
    }

    private func waitForInput(until deadline: ContinuousClock.Instant) throws {
        while PQisBusy(connection) == 1 {
            guard try isReady(for: POLLIN, until: deadline) else { throw overdue() }
            guard PQconsumeInput(connection) == 1 else {
                throw lost("Can't read an answer of the database")
            }
        }
    }

    /// A statement that was not prepared is prepared at its next use.
    private func forget(_ step: Step) {
        if case .preparation(let sql, _) = step { prepared[sql] = nil }
    }

    private func mismatch(
        of rows: PostgreSQLRows, with statement: PostgreSQLStatement
    ) -> PostgreSQLError? {
        guard let expected = statement.changes, expected != rows.changes else { return nil }
        return PostgreSQLError(
            "A statement has changed \(rows.changes) rows instead of \(expected): "
                + "\(statement.sql).")
    }

    private func error(of result: OpaquePointer, in step: Step) -> PostgreSQLError {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        let state = field(Int32(UInt8(ascii: "C")))
        let message = field(Int32(UInt8(ascii: "M"))) ?? String(cString: PQerrorMessage(connection))
        let sql =
            switch step {
            case .preparation(let sql, _): sql
            case .execution(let statement): statement.sql
            }
        // An error without a state comes from libpq: the connection has failed.
        if state == nil { isBroken = true }
        return PostgreSQLError(
            "The database refused a statement because \(message.oneLine): "
                + sql.split(whereSeparator: \.isWhitespace).joined(separator: " "),
            state: state, isConnectionLost: state == nil)
    }

    private func deallocate(_ deadline: ContinuousClock.Instant) throws {
        prepared = [:]
        guard PQsendQueryParams(connection, "DEALLOCATE ALL", 0, nil, nil, nil, nil, 1) == 1,
            PQpipelineSync(connection) == 1
        else { throw lost("Can't send a statement") }
        try flush(until: deadline)
        _ = try results(of: [.execution(PostgreSQLStatement("DEALLOCATE ALL"))], until: deadline)
    }
}

/// Calls `body` with an array of C strings that ends with a null pointer.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer($0) }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else {
            preconditionFailure("the array has at least the null pointer")
        }
        return body(start)
    }
}
