import AnabranchSQLite
import Synchronization

/// Values that were read of a file, one of each type, which are true until the file changes.
///
/// SQLite tells each connection of the commits of others, so a value belongs to the connection that
/// has read it. Reading connections change nothing themselves.
final class KeptReadings: Sendable {
    private struct Kept: @unchecked Sendable {
        // The lock protects the reference, of which only the identity is used.
        weak var connection: Connection?
        let version: Int64
        let value: any Sendable
    }

    private let kept = Mutex<[ObjectIdentifier: Kept]>([:])

    /// The value, if this connection has read it and the file is the same. It runs one statement.
    fileprivate func value<Value: Sendable>(
        _ type: Value.Type, on connection: Connection
    ) throws -> Value? {
        guard let kept = kept.withLock({ $0[ObjectIdentifier(type)] }),
            kept.connection === connection, try connection.version() == kept.version
        else { return nil }
        return kept.value as? Value
    }

    fileprivate func keep<Value: Sendable>(
        _ value: Value, version: Int64, on connection: Connection
    ) {
        kept.withLock {
            $0[ObjectIdentifier(Value.self)] = Kept(
                connection: connection, version: version, value: value)
        }
    }
}

extension Store {
    /// Reads a value in one transaction, unless it was read before and the file is the same: then
    /// it runs one statement. The statistics of reads leave it out.
    ///
    /// - Parameter body: Reads the only value of its type that is kept. It may depend on the file
    ///   alone.
    func readKept<Value: Sendable>(_ body: (StoreReader) throws -> Value) throws -> Value {
        let kept = try read(isOneStatement: true, isCounted: false) {
            try keptReadings.value(Value.self, on: $0.connection)
        }
        if let kept { return kept }
        return try read(isCounted: false) { reader in
            let version = try reader.connection.version()
            let value = try body(reader)
            keptReadings.keep(value, version: version, on: reader.connection)
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
