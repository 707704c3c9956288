import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Two stores that hold one Anna and change her concurrently.
struct ConflictScenario {
    let here: Graph
    let there: Graph
    let zone = Zone()

    init() throws {
        here = try Graph()
        there = try Graph()
        try here.inContext { context throws in
            let anna = try context.person("first", age: 1)
            anna.lastName = "Anna"
            try context.person("Boss").lastName = "Boss"
            try context.person("Chief").lastName = "Chief"
            let group = try context.insert(Group.self)
            group.title = "G"
            try context.save()
        }
        try exchange()
    }

    /// Syncs both stores until each has the saves of the other.
    func exchange() throws {
        for graph in [here, there, here] { try zone.exchange(graph) }
        #expect(try here.coordinator.canonicalHash() == there.coordinator.canonicalHash())
    }

    /// Changes Anna in a later millisecond than before, and saves.
    func edit(
        _ graph: Graph, author: String = "", _ body: (Person) throws -> Void
    ) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try graph.inContext { context throws in
            context.transactionAuthor = author
            try body(context.named("Anna"))
            try context.save()
        }
    }

    /// Changes Anna in both stores. The change in `here` is older and loses if one of them has to
    /// lose.
    func collide(
        here body: (Person) throws -> Void, there other: (Person) throws -> Void
    ) throws {
        try edit(here, author: "Ada", body)
        try edit(there, author: "Bob", other)
    }

    func anna<T>(_ graph: Graph, _ value: (Person) throws -> sending T) throws -> sending T {
        try graph.inContext { try value($0.named("Anna")) }
    }

    /// Applies the zone's change sets and waits until the contexts and the resolver have finished.
    @discardableResult
    func merge(into graph: Graph) async throws -> ChangedRecords {
        let changed = try zone.exchange(graph)
        await withCheckedContinuation { done in
            graph.coordinator.didApply(changed) { done.resume() }
        }
        return changed
    }
}

extension ManagedObjectContext {
    func named(_ lastName: String) throws -> Person {
        try #require(try people("lastName == %@", lastName).first)
    }
}

extension ConflictEntry {
    /// Returns the same entry with some fields replaced.
    func with(
        kind: Kind? = nil, record: RecordID? = nil, entity: String? = nil,
        property: WireProperty? = nil, value: PropertyValue? = nil
    ) -> ConflictEntry {
        ConflictEntry(
            id: id, kind: kind ?? self.kind, record: record ?? self.record,
            entity: entity ?? self.entity, property: property ?? self.property,
            value: value ?? self.value, lost: lost, winner: winner, winningValue: winningValue,
            noticedMilliseconds: noticedMilliseconds)
    }
}
