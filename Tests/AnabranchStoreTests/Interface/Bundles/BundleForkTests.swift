import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of histories under one replica ID that meet by bundles.
@Suite struct `Forked histories in bundles` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    private func twins() throws -> (original: Store, copy: Store) {
        try scenario.twins(savesOfCopy: ["of the copy", "later, of the copy"])
    }

    @Test func `wait until a log decides, and get other names after that`() throws {
        let (original, copy) = try twins()
        let outcome = try copy.send(to: original, in: scenario)
        #expect((outcome.appliedCount, outcome.heldCount, outcome.waitingCount) == (0, 1, 2))
        #expect(try original.send(to: copy, in: scenario).waitingCount == 1)
        // Each of them knows of the fork now.
        let replica = try original.replica
        try original.insertPerson("afterwards")
        #expect(try original.replica != replica)
        for store in [original, copy, original, copy] {
            try scenario.zone.sync(store)
            try scenario.zone.repair(store)
        }
        #expect(try original.waitingCount == 0)
        #expect(try copy.waitingCount == 0)
        #expect(try original.canonicalHash() == copy.canonicalHash())
        #expect(try scenario.zone.reference().canonicalHash == copy.canonicalHash())
        #expect(scenario.zone.log.count == 5)
    }

    @Test func `wait with what depends on them`() throws {
        let (original, copy) = try twins()
        let peer = try scenario.open("peer")
        try copy.send(to: peer, in: scenario)
        try peer.insertPerson("knows the copy's")
        let outcome = try peer.send(to: original, in: scenario)
        #expect((outcome.appliedCount, outcome.heldCount, outcome.waitingCount) == (0, 1, 3))
        let third = try scenario.open("third")
        try original.send(to: third, in: scenario)
        #expect(try peer.send(to: third, in: scenario).waitingCount == 3)
        for store in [original, copy, peer, third, original, copy, peer, third] {
            try scenario.zone.sync(store)
            try scenario.zone.repair(store)
        }
        let stores = [original, copy, peer, third]
        #expect(try stores.map { try $0.waitingCount } == [0, 0, 0, 0])
        #expect(try Set(stores.map { try $0.canonicalHash() }).count == 1)
        #expect(try scenario.zone.reference().canonicalHash == third.canonicalHash())
    }

    @Test func `a restored file gets its lost save from a bundle, and a new replica ID`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        try a.insertPerson("Anna")
        a.close()
        try scenario.copy("a", to: "backup")
        let again = try scenario.open("a")
        try again.insertPerson("Bob")
        try again.send(to: b, in: scenario)
        let replica = try again.replica
        again.close()
        try scenario.restore("a", from: "backup")
        let restored = try scenario.open("a")
        #expect(try b.send(to: restored, in: scenario).appliedCount == 1)
        #expect(try restored.canonicalHash() == b.canonicalHash())
        try restored.insertPerson("Cyd")
        #expect(try restored.replica != replica)
    }

    @Test func `come with their cause when the same page rejects a local save`() throws {
        let author = try scenario.open("author")
        try author.insertPerson("Anna")
        try scenario.zone.sync(author)
        let peer = try scenario.open("peer")
        try scenario.zone.sync(peer)
        try peer.insertPerson("saved with Anna in sight")
        let sets = try scenario.changeSets(in: scenario.bundle(peer, as: "all.bundle"))
        let dependent = sets.suffix(1)
        let store = try scenario.open("store")
        try store.insertPerson("refused by the zone")
        let own = try #require(try store.pending(byteLimit: .max).first).changeSet
        let outcome = try store.take(scenario.bundle(of: Array(dependent), as: "one.bundle"))
        #expect(outcome.waitingCount == 1)
        scenario.zone.append(ChangeSet(voiding: own, for: SaveRejection(.malformed, "refused")))
        // The cause comes first, then the void that takes the place of the store's own save.
        try scenario.zone.pull(into: store)
        #expect(try store.waitingCount == 0)
        for store in [peer, store, author, peer, store] {
            try scenario.zone.sync(store)
            try scenario.zone.repair(store)
        }
        #expect(try store.canonicalHash() == author.canonicalHash())
        #expect(try store.canonicalHash() == peer.canonicalHash())
    }
}
