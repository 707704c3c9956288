import AnabranchReplication
import AnabranchServer
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of bundles from stores that began with a snapshot and lack the change sets in it.
struct SnapshotBundleTests {
    private let scenario: EngineScenario
    private var names: SmallModel { scenario.names }

    init() throws {
        scenario = try EngineScenario()
    }

    private func vector(_ store: Store) throws -> VersionVector {
        try store.read { try $0.versionVector() }
    }

    /// Returns a store with ten people, which the zone has, and a store that has them in a snapshot
    /// alone.
    private func founderAndFollower() async throws -> (Store, Store) {
        let a = try scenario.open("a.db")
        for person in 0..<10 { try a.insert("person \(person)", names) }
        try await scenario.sync(a)
        _ = try scenario.zone.compact(keeping: 0)
        let b = try scenario.open("b.db")
        try await scenario.sync(b)
        return (a, b)
    }

    private func head(_ store: Store, _ sequence: UInt64) throws -> Dot {
        Dot(replica: try store.replica, sequence: sequence)
    }

    @Test func `saves after the snapshot go to a store that holds the snapshot's part`()
        async throws
    {
        let (a, b) = try await founderAndFollower()
        let traveller = try scenario.open("t.db")
        try traveller.take(try scenario.bundle(a))
        try a.setAge(1, of: "person 1", names)
        try await scenario.sync(a, b)
        try b.setAge(33, of: "person 3", names)
        try b.insert("of the follower", names)
        let path = try scenario.bundle(b)
        #expect(try BundleFile(path).check().prerequisites == VersionVector([head(a, 10)]))
        let outcome = try traveller.take(path)
        #expect((outcome.appliedCount, outcome.waitingCount) == (3, 0))
        #expect(try traveller.canonicalHash() == b.canonicalHash())
        #expect(try vector(traveller) == vector(b))
    }

    @Test func `it waits in a store that lacks the snapshot's part`() async throws {
        let (a, b) = try await founderAndFollower()
        try b.setAge(33, of: "person 3", names)
        let empty = try scenario.open("e.db")
        #expect(try empty.take(try scenario.bundle(b)).waitingCount == 1)
        #expect(try empty.people(names).isEmpty)
        #expect(try empty.take(try scenario.bundle(a)).appliedCount == 11)
        #expect(try empty.canonicalHash() == b.canonicalHash())
        // Another store receives it from the zone.
        let second = try scenario.open("s.db")
        try second.take(try scenario.bundle(b))
        try await scenario.sync(second, b, a)
        #expect(try second.read { try $0.waitingCount() } == 0)
        try scenario.expectConverged([a, b, second])
    }

    @Test func `a base says what is left out, also beneath the snapshot`() async throws {
        let (a, b) = try await founderAndFollower()
        try b.insert("one", names)
        let early = try vector(b)
        try b.insert("two", names)
        func count(_ base: BundleBase) throws -> Int {
            try BundleFile(try scenario.bundle(b, lacking: base)).check().setCount
        }
        #expect(try count(.nothing) == 2)
        #expect(try count(BundleBase(early)) == 1)
        #expect(try count(BundleBase(try vector(b))) == 0)
        #expect(try count(BundleBase(VersionVector([head(a, 4)]))) == 2)
        // It is unknown which change sets of the snapshot the author of a later one had seen.
        #expect(try count(.replica(a.replica)) == 2)
        #expect(try count(.replica(b.replica)) == 0)
    }

    /// The files of an author that had three of ten people when it saved.
    private struct LateSave {
        /// A store with the whole log, and one that began with a snapshot of the ten people.
        let whole: Store, follower: Store
        /// A bundle with the three people.
        let start: String
        /// Bundles with the save alone, one from each store.
        let exact: String, wide: String
    }

    private func lateSave() async throws -> LateSave {
        let (a, late) = (try scenario.open("a.db"), try scenario.open("late.db"))
        for person in 0..<3 { try a.insert("person \(person)", names) }
        try await scenario.sync(a, late)
        let start = try scenario.bundle(late)
        try late.setAge(5, of: "person 0", names)
        for person in 3..<10 { try a.insert("person \(person)", names) }
        try await scenario.sync(a)
        _ = try scenario.zone.compact(keeping: 0)
        let b = try scenario.open("b.db")
        try await scenario.sync(b, late, b, a)
        return LateSave(
            whole: a, follower: b, start: start,
            exact: try scenario.bundle(a, lacking: BundleBase(VersionVector([head(a, 10)]))),
            wide: try scenario.bundle(b))
    }

    private func contexts(in path: String) throws -> [[Dot]] {
        var contexts: [[Dot]] = []
        try BundleFile(path).forEachItem { item in
            if case .changeSet(let set) = item { contexts.append(set.context.beyond.map(\.dot)) }
        }
        return contexts
    }

    @Test func `a bundle states that an author with less held the whole snapshot`() async throws {
        let save = try await lateSave()
        #expect(try contexts(in: save.wide) == [[head(save.whole, 10)]])
        #expect(try contexts(in: save.exact) == [[head(save.whole, 3)]])
        let reader = try scenario.open("r.db")
        try reader.take(save.start)
        #expect(try reader.people(names).count == 3)
        #expect(try reader.take(save.wide).waitingCount == 1)
        // A store with the whole log has more precise knowledge.
        #expect(try reader.take(save.exact).waitingCount == 0)
        #expect(try reader.row("person 0", names)?.slots[names.age] == .integer(5))
        #expect(try reader.take(save.wide).heldCount == 1)
        try reader.take(try scenario.bundle(save.whole))
        #expect(try reader.canonicalHash() == save.follower.canonicalHash())
    }

    @Test(arguments: [true, false])
    func `the smaller of two causal contexts of one waiting set stays`(isExactFirst: Bool)
        async throws
    {
        let save = try await lateSave()
        let reader = try scenario.open("r.db")
        for path in isExactFirst ? [save.exact, save.wide] : [save.wide, save.exact] {
            #expect(try reader.take(path).waitingCount == 1)
        }
        #expect(try reader.take(save.start).waitingCount == 0)
        #expect(try reader.row("person 0", names)?.slots[names.age] == .integer(5))
    }
}
