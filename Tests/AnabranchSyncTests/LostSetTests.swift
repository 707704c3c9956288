import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import TestSupport
import Testing

@testable import AnabranchStore
@testable import AnabranchSync

/// Tests of restored zones that lack change sets which no replica can supply, although other change
/// sets depend on them.
struct LostSetTests {
    /// Removes other authors' change sets from a store's log if they are only about deleted
    /// records, so that no row names them.
    ///
    /// - Returns: Their dots.
    @discardableResult
    private static func trim(_ store: Store, _ names: SmallModel) throws -> Set<Dot> {
        let held = Set(try store.people(names).compactMap { try store.recordID(of: $0.id) })
        let own = try store.replica
        let entries = try store.read { try $0.changeSets(after: 0, limit: .max) }
        let droppable = try entries.filter { entry in
            guard entry.place != nil, entry.changeSet.dot.replica != own else { return false }
            let touched = try entry.changeSet.decodedPayload().blocks.flatMap(\.touchedRecords)
            return entry.changeSet.kind == .save && held.isDisjoint(with: touched)
        }
        let connection = try Connection(path: store.path)
        let log = ChangeLog(connection: connection, replicas: try store.read { try $0.replicas() })
        for entry in droppable {
            try log.keepOrigins(around: entry.localPosition)
            try connection.run(
                "DELETE FROM ab_changeset WHERE position = ?", .integer(entry.localPosition))
        }
        return Set(droppable.map(\.changeSet.dot))
    }

    @Test func `a set that only its context needs is declared lost, and comes back as a branch`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let author = try world.scenario.open("author.db")
        let other = try world.scenario.open("other.db")
        try other.insert("before", names)
        for store in [other, author] { try await world.sync(store) }
        let backup = try world.backUp()
        try author.insert("gone", age: 1, names)
        for store in [author, other] { try await world.sync(store) }
        try other.delete("gone", names)
        #expect(try Self.trim(other, names) == [Dot(replica: try author.replica, sequence: 1)])
        try world.restore(backup)

        let outcome = try await world.sync(other)
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil)
        let lost = ChangeSet(lost: Dot(replica: try author.replica, sequence: 1))
        #expect(try world.log().map(\.kind) == [.save, .lost, .save])
        #expect(try world.log()[1] == lost)
        let third = try world.scenario.open("third.db")
        try await world.expectConverged([other, third], people: 1)
        try other.insert("after", names)
        try await world.expectConverged([other, third], people: 2)

        // The author still has it, on the losing branch of a fork.
        try author.insert("later", names)
        try await world.expectConverged([author, other, third], people: 4)
        #expect(try other.row("gone", names)?.slots[names.age] == .integer(1))
        #expect(
            try world.log().contains {
                $0.rewrittenFrom == Dot(replica: lost.dot.replica, sequence: 1)
                    && $0.dot.replica != lost.dot.replica
            })
    }

    @Test func `a chain continues after a change set declared lost`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let author = try world.scenario.open("author.db")
        let (b, c) = (try world.scenario.open("b.db"), try world.scenario.open("c.db"))
        for store in [author, b, c] { try await world.sync(store) }
        let backup = try world.backUp()
        try author.insert("gone", names)
        try author.delete("gone", names)
        try author.insert("kept", age: 3, names)
        for store in [author, b, c] { try await world.sync(store) }
        for store in [b, c] { #expect(try Self.trim(store, names).count == 2) }
        try b.setAge(4, of: "kept", names)
        try world.restore(backup)
        // A zone that is restored twice declares it lost once more.
        try await world.expectConverged([b, c], people: 1)
        #expect(try world.log().map(\.kind) == [.lost, .lost, .save, .save])
        try world.restore(backup)
        try await world.expectConverged([c, b], people: 1)
        #expect(try world.log().filter { $0.kind == .lost }.count == 2)
        #expect(try c.row("kept", names)?.slots[names.age] == .integer(4))
        // Both of the author's change sets come back: the author deleted what it had inserted.
        try await world.expectConverged([author, b, c], people: 1)
    }

    @Test func `a change set that returns before it is declared lost again keeps its identity`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let author = try world.scenario.open("author.db")
        let other = try world.scenario.open("other.db")
        for store in [author, other] { try await world.sync(store) }
        let backup = try world.backUp()
        try author.insert("gone", age: 1, names)
        for store in [author, other] { try await world.sync(store) }
        try other.delete("gone", names)
        try Self.trim(other, names)
        try world.restore(backup)
        try await world.sync(other)
        #expect(try world.log().map(\.kind) == [.lost, .save])
        // The zone is restored once more, and the author syncs first.
        try world.restore(backup)
        try await world.sync(author)
        try await world.expectConverged([other, author], people: 0)
        #expect(try world.log().map(\.kind) == [.save, .save])
    }

    /// Whatever each store has removed, all reach one state, and a store that comes back supplies
    /// the rest.
    @Test(arguments: TestLength.seeds(16))
    func `random histories of which survivors have forgotten parts`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let world = try RestoredZone()
        let names = world.scenario.names
        var stores: [Store] = []
        for number in 0..<3 { stores.append(try world.scenario.open("\(number).db")) }
        var backups = [try world.backUp()]
        for step in 0..<40 {
            try await Self.edit(generator.element(of: stores), step, &generator, world)
            if generator.oneIn(12) { backups.append(try world.backUp()) }
        }
        // A store that has everything stays offline for now.
        let survivors = Array(stores.dropFirst())
        for store in survivors {
            try await world.sync(store)
            try Self.trim(store, names)
        }
        try world.restore(generator.element(of: backups))
        try await world.expectEqual(survivors)
        for step in 40..<50 {
            try await Self.edit(generator.element(of: stores), step, &generator, world)
        }
        try await world.expectEqual(stores)
        var reference = ReferenceMerge()
        for set in try world.log() { try reference.apply(set) }
        #expect(try world.zone.canonicalHash().hash == reference.canonicalHash)
    }

    /// Like the test above, with several restores, to backups of any of the zone's lives. All
    /// stores remove change sets, and a store that was offline comes back in between.
    @Test(arguments: TestLength.seeds(24))
    func `zones that are restored again and again over logs of which parts are forgotten`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let world = try RestoredZone()
        let names = world.scenario.names
        var stores: [Store] = []
        for number in 0..<4 { stores.append(try world.scenario.open("\(number).db")) }
        var backups = [try world.backUp()]
        for step in 0..<60 {
            let present = Array(stores.dropLast(step % 2))
            try await Self.edit(generator.element(of: present), step, &generator, world)
            if generator.oneIn(10) { backups.append(try world.backUp()) }
            if generator.oneIn(10) { try Self.trim(generator.element(of: stores), names) }
            if generator.oneIn(15) { try world.restore(generator.element(of: backups)) }
        }
        try await world.expectEqual(stores)
        var reference = ReferenceMerge()
        for set in try world.log() { try reference.apply(set) }
        #expect(try world.zone.canonicalHash().hash == reference.canonicalHash)
    }

    private static func edit(
        _ store: Store, _ step: Int, _ generator: inout SeededGenerator, _ world: RestoredZone
    ) async throws {
        let names = world.scenario.names
        let people = try store.people(names)
        let person = people.isEmpty ? nil : generator.element(of: people)
        let name = person.map { $0.slots[names.name] }
        switch (Int.random(in: 0..<9, using: &generator), name) {
        case (0..<3, .string(let name)?): try store.delete(name, names)
        case (3, .string(let name)?): try store.setAge(Int64(step), of: name, names)
        case (4..<7, _): try await world.sync(store)
        default: try store.insert("step \(step)", names)
        }
    }
}
