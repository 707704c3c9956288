import AnabranchReplication
import AnabranchSQLite

/// A stamp that names its replica by the ordinal in this file.
struct LocalStamp: Hashable {
    var timestamp: UInt64
    var ordinal: Int64
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
