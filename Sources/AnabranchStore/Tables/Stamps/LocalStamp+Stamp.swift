import AnabranchReplication

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
