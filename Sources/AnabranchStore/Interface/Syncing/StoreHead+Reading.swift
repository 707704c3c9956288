import AnabranchReplication
import AnabranchSQLite

extension StoreHead {
    /// Reads what a sync asks for and is not known, within a transaction.
    func readRest(_ connection: Connection) throws {
        try tables.readRest(connection)
        let entries = ChangeLog(connection: connection, replicas: ReplicaTable())
        if log.hasUnplaced == nil { log.setFirstUnplaced(try entries.firstUnplaced()) }
        if log.greatestPlace == nil { log.setGreatestPlace(try entries.greatestPlace()) }
        epochsAhead = try epochsAhead ?? entries.epochs(after: state.cursor?.position ?? 0)
    }
}

extension KnownTables {
    /// Reads what is not known, within a transaction.
    mutating func readRest(_ connection: Connection) throws {
        epochs = try epochs ?? Self.epochs(connection)
        hasRecordsToRepair =
            try hasRecordsToRepair ?? !RepairQueue(connection: connection).first(1).isEmpty
        hasWaiting = try hasWaiting ?? !WaitingChangeSets(connection).isEmpty
        rejectedCount = try rejectedCount ?? RejectedSaves(connection: connection).count()
        staged = try staged ?? .some(SnapshotStage(connection: connection).staged())
        minimumVersion =
            try minimumVersion
            ?? .some(
                ZoneSettingRows(connection: connection).greatest(ZoneSettings.minimumVersion))
    }

    private static func epochs(_ connection: Connection) throws -> Set<EpochID> {
        let statement = try connection.cached("SELECT id FROM ab_epoch")
        var epochs: Set<EpochID> = []
        while try statement.step() {
            if let epoch = EpochID(bytes: statement.bytes(at: 0)) { epochs.insert(epoch) }
        }
        return epochs
    }
}
