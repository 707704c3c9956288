import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Bundles of stores` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    @Test func `bring all that a store has, and only once`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let anna = try a.insertPerson("Anna", age: 30)
        try a.insertPerson("Bob", boss: anna)
        try b.insertPerson("Cyd")
        let bundle = try scenario.bundle(a, as: "a.bundle")
        var pages: [ChangedRecords] = []
        let outcome = try b.importBundle(from: bundle) { pages.append($0) }
        #expect(outcome.appliedCount == 2)
        #expect(pages.flatMap { $0.entities.flatMap(\.inserted) }.count == 2)
        #expect(try b.value("age", of: b.id(of: anna, on: a)) == .integer(30))
        let again = try b.take(bundle)
        #expect((again.appliedCount, again.heldCount, again.waitingCount) == (0, 2, 0))
        try b.send(to: a, in: scenario)
        #expect(try a.canonicalHash() == b.canonicalHash())
        #expect(try a.pendingSaves().count == 3)
    }

    @Test func `lack what a vector, a bundle's sender or a replica has`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        try a.insertPerson("Anna")
        try a.send(to: b, in: scenario)
        let vector = try b.read { try $0.versionVector() }
        try b.insertPerson("Bob")
        let fromB = try scenario.bundle(b, as: "b.bundle")
        try a.take(fromB)
        try a.insertPerson("Cyd")
        func names(_ base: BundleBase) throws -> [String] {
            try scenario.changeSets(in: scenario.bundle(a, as: "out.bundle", lacking: base))
                .map { "\(try $0.dot.replica == a.replica ? "a" : "b")\($0.dot.sequence)" }
        }
        #expect(try names(.nothing) == ["a1", "b1", "a2"])
        #expect(try names(BundleBase(vector)) == ["b1", "a2"])
        #expect(try names(BundleBase(senderOf: BundleFile(fromB).check().header)) == ["a2"])
        #expect(try names(.replica(b.replica)) == ["a2"])
        #expect(try names(.replica(a.replica)) == [])
        let stranger = ReplicaID(high: 1, low: 2)
        #expect(storeError { _ = try names(.replica(stranger)) }?.code == .notHeld)
        // Another history under the same name is no reason to omit anything.
        let other = BundleBase.Head(
            dot: Dot(replica: try a.replica, sequence: 2), originPrefix: 4711)
        #expect(try names(.heads([other])) == ["a1", "b1", "a2"])
    }

    @Test func `name in each context all that the author held, whatever log that was in`()
        throws
    {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let c = try scenario.open("c")
        try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        try scenario.zone.sync(b)
        try b.insertPerson("Bob")
        try scenario.zone.sync(b)
        try scenario.zone.pull(into: a)
        try c.insertPerson("Cyd")
        try c.send(to: a, in: scenario)
        try a.insertPerson("Dan")
        let dan = try #require(try a.pending(byteLimit: .max).last?.changeSet)
        #expect(dan.context.prefix?.position == 2)
        #expect(dan.context.beyond.map(\.dot.replica) == [try c.replica])
        let sets = try scenario.changeSets(in: scenario.bundle(a, as: "a.bundle"))
        #expect(sets.allSatisfy { $0.context.prefix == nil })
        let whole = try #require(sets.first { $0.origin == dan.origin })
        let expected = try [b.replica, c.replica].sorted().map { Dot(replica: $0, sequence: 1) }
        #expect(whole.context.beyond.map(\.dot) == expected)
        let bob = try #require(sets.first { try $0.dot.replica == b.replica })
        #expect(bob.context.beyond.map(\.dot) == [Dot(replica: try a.replica, sequence: 1)])
    }

    @Test func `change sets that come too early wait, and are applied after their causes`() throws {
        let stores = try ["a", "b", "c", "d"].map { try scenario.open($0) }
        let (a, b, c, d) = (stores[0], stores[1], stores[2], stores[3])
        let anna = try a.insertPerson("Anna")
        let first = try scenario.bundle(a, as: "1.bundle")
        try b.take(first)
        try b.set("age", .integer(7), of: b.id(of: anna, on: a))
        let second = try scenario.bundle(b, as: "2.bundle", lacking: sender(of: first))
        try c.take(first)
        try c.take(second)
        try c.insertPerson("Cyd", boss: c.id(of: anna, on: a))
        let third = try scenario.bundle(c, as: "3.bundle", lacking: sender(of: second))
        #expect(try d.take(third).waitingCount == 1)
        #expect(try d.take(third).waitingCount == 1)
        #expect(try d.take(second).waitingCount == 2)
        #expect(try d.read { try $0.changeSets(after: 0, limit: 10) }.isEmpty)
        let outcome = try d.take(first)
        #expect((outcome.appliedCount, outcome.waitingCount) == (3, 0))
        #expect(try d.canonicalHash() == c.canonicalHash())
    }

    @Test func `change sets that wait are applied when a zone brings their causes`() throws {
        let stores = try ["a", "b", "c"].map { try scenario.open($0) }
        let (a, b, c) = (stores[0], stores[1], stores[2])
        let anna = try a.insertPerson("Anna")
        let first = try scenario.bundle(a, as: "1.bundle")
        try b.take(first)
        try b.set("age", .integer(7), of: b.id(of: anna, on: a))
        try c.take(scenario.bundle(b, as: "2.bundle", lacking: sender(of: first)))
        #expect(try c.waitingCount == 1)
        try scenario.zone.sync(a)
        let changed = try scenario.zone.pull(into: c)
        #expect(changed.entities.flatMap(\.inserted).count == 1)
        #expect(try c.waitingCount == 0)
        #expect(try c.value("age", of: c.id(of: anna, on: a)) == .integer(7))
        // The zone has it now too, from whichever store.
        try scenario.zone.push(from: c)
        try scenario.zone.sync(b)
        try scenario.zone.sync(a)
        #expect(try b.pendingSaves().count == 0)
        #expect(scenario.zone.log.count == 2)
        #expect(try scenario.zone.reference().canonicalHash == a.canonicalHash())
        #expect(try Set([a, b, c].map { try $0.canonicalHash() }).count == 1)
    }

    @Test func `change sets that wait are dropped when the log holds them`() throws {
        let stores = try ["a", "b", "c"].map { try scenario.open($0) }
        let (a, b, c) = (stores[0], stores[1], stores[2])
        try a.insertPerson("Anna")
        let first = try scenario.bundle(a, as: "1.bundle")
        try b.take(first)
        try b.insertPerson("Bob")
        try c.take(scenario.bundle(b, as: "2.bundle", lacking: sender(of: first)))
        #expect(try c.waitingCount == 1)
        for store in [b, c] { try scenario.zone.sync(store) }
        #expect(try c.waitingCount == 0)
        #expect(try c.pendingSaves().count == 0)
        #expect(try c.canonicalHash() == b.canonicalHash())
    }

    @Test func `are named by later saves until the zone's log has them`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        try a.insertPerson("Anna")
        try a.send(to: b, in: scenario)
        try b.insertPerson("Bob")
        let bob = try #require(try b.pending(byteLimit: .max).last?.changeSet)
        #expect(bob.context.prefix == nil)
        #expect(bob.context.beyond.map(\.dot) == [Dot(replica: try a.replica, sequence: 1)])
        try scenario.zone.sync(b)
        try b.insertPerson("Cyd")
        let cyd = try #require(try b.pending(byteLimit: .max).last?.changeSet)
        #expect(cyd.context.prefix?.position == 2)
        #expect(cyd.context.beyond.isEmpty)
    }

    private func sender(of bundle: String) throws -> BundleBase {
        BundleBase(senderOf: try BundleFile(bundle).check().header)
    }

    // MARK: - Files

    @Test func `bundles that are cut or damaged change nothing`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        for name in ["Anna", "Bob", "Cyd"] { try a.insertPerson(name) }
        try b.insertPerson("Dan")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: scenario.bundle(a, as: "a.bundle"))))
        let before = try b.read { try $0.logPosition() }
        let bad = scenario.path("bad.bundle")
        func refusal(_ bytes: some Collection<UInt8>) throws -> StoreError? {
            try Data(bytes).write(to: URL(filePath: bad))
            return storeError { try b.take(bad) }
        }
        for count in stride(from: 0, to: bytes.count, by: 5) {
            let error = try refusal(bytes.prefix(count))
            #expect(error?.code == .damagedBundle)
            #expect(error?.message.contains("at offset") == true)
        }
        for place in stride(from: 0, to: bytes.count, by: 7) where place != 8 {
            var changed = bytes
            changed[place] ^= 0x10
            #expect(try refusal(changed)?.code == .damagedBundle, "\(place)")
        }
        #expect(try refusal(bytes + [0])?.code == .damagedBundle)
        #expect(storeError { try b.take(scenario.path("none.bundle")) }?.code == .cannotOpen)
        #expect(try b.read { try $0.logPosition() } == before)
        #expect(try b.waitingCount == 0)
    }

    @Test func `bundles with a payload that can't be read change nothing`() throws {
        let b = try scenario.open("b")
        let author = ReplicaID(high: 3, low: 3)
        func set(_ sequence: UInt64, _ payload: [UInt8], after: Digest) -> ChangeSet {
            ChangeSet(
                saving: payload, dot: Dot(replica: author, sequence: sequence),
                timestamp: HybridTimestamp(rawValue: sequence), previousOrigin: after,
                context: .empty)
        }
        let good = set(1, ChangePayload(blocks: []).encoded(author: author), after: .zero)
        let bad = set(2, [1, 0, 0, 0, 99], after: good.origin)
        let bundle = try scenario.bundle(of: [good, bad], as: "bad.bundle")
        #expect(storeError { try b.take(bundle) }?.code == .damagedBundle)
        #expect(try b.read { try $0.logPosition() } == 0)
    }

    @Test func `appear whole or not at all`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let missing = scenario.path("no folder/a.bundle")
        #expect(storeError { _ = try a.exportBundle(to: missing) }?.code == .cannotOpen)
        let bundle = try scenario.bundle(a, as: "a.bundle")
        let before = try Data(contentsOf: URL(filePath: bundle))
        let stranger = BundleBase.replica(ReplicaID(high: 1, low: 2))
        #expect(storeError { _ = try a.exportBundle(to: bundle, lacking: stranger) } != nil)
        #expect(try Data(contentsOf: URL(filePath: bundle)) == before)
        #expect(try scenario.partialFiles() == [])
    }
}
