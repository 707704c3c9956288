import AnabranchReplication

// Numbers for the metrics, which are left out if they can't be read.
extension ZoneService {
    /// The bytes of the zone's file; `nil` if it has none.
    var byteCount: Int64? { storage.fileBytes }

    /// The number of entries after the position that each replica has acknowledged.
    var lags: [ReplicaID: UInt64]? {
        try? storage.read { reader in
            let head = try reader.logState().head.position
            return try reader.acknowledgements().filter(\.value.isSeen)
                .mapValues { head - min($0.position, head) }
        }
    }
}
