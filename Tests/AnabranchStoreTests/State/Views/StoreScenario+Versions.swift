import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Checks of stores that have models of several versions.
extension StoreScenario {
    /// Checks that a new store with the same model shows the same after it has pulled all.
    func compareWithNewStore(_ store: Store, number: Int) throws {
        let new = try open("new \(number)", model: store.model)
        try zone.pull(into: new)
        #expect(try new.canonicalHash() == store.canonicalHash())
        let (expected, shown) = (try ShownState(new), try ShownState(store))
        #expect(expected == shown)
        new.close()
    }

    /// Replaces all records by the zone's images of them, which changes nothing.
    func repairAll(_ store: Store, _ reference: ReferenceMerge) throws {
        let shown = try ShownState(store)
        let place = CausalContext.Prefix(epoch: zone.epoch, position: UInt64(zone.log.count))
        _ = try store.repair(reference.records.keys.map { reference.image(of: $0) }, at: place)
        #expect(try ShownState(store) == shown)
        #expect(try store.canonicalHash() == reference.canonicalHash)
    }

    /// Checks that a new store shows the same after it has loaded a snapshot.
    func compareWithSnapshot(_ reference: ReferenceMerge, _ store: Store) throws {
        let last = try open("last", model: store.model)
        try last.load(
            SnapshotChunk.chunks(of: reference, log: zone.log, records: 5),
            at: #require(try store.syncState().cursor))
        #expect(try last.canonicalHash() == reference.canonicalHash)
        #expect(try ShownState(last) == ShownState(store))
    }
}
