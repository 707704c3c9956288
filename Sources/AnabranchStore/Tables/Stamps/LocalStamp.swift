import AnabranchReplication
import AnabranchSQLite

/// A stamp that names its replica by the ordinal in this file.
struct LocalStamp: Hashable {
    var timestamp: UInt64
    var ordinal: Int64
}

/// The time of the save and the ordinal of its replica.
extension LocalStamp: StatementParameter {
    func bind(to statement: Statement, at index: inout Int) throws {
        try Int64(bitPattern: timestamp).bind(to: statement, at: &index)
        try ordinal.bind(to: statement, at: &index)
    }
}

extension Statement {
    /// Reads a column with the time of a save and the next one with the ordinal of its replica.
    func localStamp(at column: Int) throws -> LocalStamp {
        LocalStamp(
            timestamp: try timestamp(at: column).rawValue, ordinal: try ordinal(at: column + 1))
    }
}

extension ReplicaTable {
    func stamps(_ stamps: [LocalStamp]) -> [Stamp] {
        stamps.compactMap { stamp in
            self[stamp.ordinal].map {
                Stamp(timestamp: HybridTimestamp(rawValue: stamp.timestamp), replica: $0)
            }
        }
    }
}

extension WriteTransaction {
    func localStamp(_ stamp: Stamp) throws -> LocalStamp {
        LocalStamp(
            timestamp: stamp.timestamp.rawValue, ordinal: try ordinal(of: stamp.replica))
    }
}
