import AnabranchSQLite
import Synchronization

/// A value that was read of a file and is true until somebody writes to the file.
///
/// SQLite tells each connection whether others have written, so the value belongs to the connection
/// that has read it. Reading connections write nothing themselves.
final class KeptReading<Value: Sendable>: Sendable {
    private struct Kept: @unchecked Sendable {
        // The lock protects the reference, of which only the identity is used.
        weak var connection: Connection?
        let version: Int64
        let value: Value
    }

    private let kept = Mutex<Kept?>(nil)

    /// The value, if a connection has read it and nobody has written since. It runs one statement.
    fileprivate func value(on connection: Connection) throws -> Value? {
        guard let kept = kept.withLock({ $0 }), kept.connection === connection,
            try connection.version() == kept.version
        else { return nil }
        return kept.value
    }

    fileprivate func keep(_ value: Value, version: Int64, on connection: Connection) {
        kept.withLock { $0 = Kept(connection: connection, version: version, value: value) }
    }
}

extension Store {
    /// Reads a value in one transaction, unless it was read before and nobody has written since:
    /// then it runs one statement.
    ///
    /// - Parameter body: It may depend on the file alone.
    func read<Value: Sendable>(
        keptIn kept: KeptReading<Value>, _ body: (StoreReader) throws -> Value
    ) throws -> Value {
        if let value = try read(isOneStatement: true, { try kept.value(on: $0.connection) }) {
            return value
        }
        return try read { reader in
            let version = try reader.connection.version()
            let value = try body(reader)
            kept.keep(value, version: version, on: reader.connection)
            return value
        }
    }
}

extension Connection {
    /// A number that is another one after each commit of another connection.
    fileprivate func version() throws -> Int64 {
        let statement = try cached("PRAGMA data_version")
        guard try statement.step() else { return 0 }
        defer { statement.reset() }
        return statement.int64(at: 0)
    }
}
