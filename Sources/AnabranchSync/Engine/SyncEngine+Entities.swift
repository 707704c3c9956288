internal import AnabranchStore
internal import Synchronization

extension SyncEngine {
    /// Compares the entities of zone and model after the first exchange and each that brought
    /// something, until the zone has a record of an entity of the model.
    ///
    /// - Throws: `SyncError` with code `foreignZone` if the options refuse such a zone.
    func checkEntities(after outcome: SyncOutcome) async throws {
        let (check, known) = state.withLock { ($0.entityCheck, $0.status.foreignZone) }
        var foreign = known
        let hasNews = outcome.pulledChangeSets > 0 || outcome.snapshotRecords > 0
        if check == .never || check == .unknown && hasNews {
            // What can't be read now is compared after the next exchange.
            let found = await onQueue { side in Result { try side.store.zoneEntities() } }
            guard case .success(let entities) = found else { return }
            foreign = entities.foreign.map { ForeignZone($0) }
            change { [foreign] state in
                state.entityCheck = entities == .known ? .known : .unknown
                state.status.foreignZone = foreign
            }
        }
        if options.refusesForeignZone, let foreign { throw SyncError(foreign) }
    }
}
