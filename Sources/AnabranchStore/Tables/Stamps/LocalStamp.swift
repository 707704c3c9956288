import AnabranchReplication

/// A stamp that names its replica by the ordinal in this file.
struct LocalStamp: Hashable {
    var timestamp: UInt64
    var ordinal: Int64
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
