import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of a to-one with a to-many inverse that becomes ordered in a later version of the model.
@Suite struct `A to-one whose inverse became a list` {
    static func model(isOrdered: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Box") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("items", toMany: "Item", ordered: isOrdered, inverse: "box")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("box", to: "Box", inverse: "items")
            }
        }
    }

    /// A reference from an earlier version has no position. In every journal it has the one with
    /// which the list shows it, whichever of the two writes came first.
    @Test(arguments: [true, false])
    func `has a discarded reference as its list would show it`(comesLoserFirst: Bool) throws {
        let scenario = try StoreScenario(model: try Self.model(isOrdered: false))
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        let new = try scenario.open("new", model: try Self.model(isOrdered: true))
        let boxes = try ["one", "two"].map { try a.insert("Box", ["title": .string($0)]) }
        let item = try a.insert("Item", ["name": "item"])
        for store in [a, b, new] { try scenario.zone.sync(store) }
        let there = try b.id(of: item, on: a)
        _ = try a.update("Item", item, ["box": .integer(boxes[0])])
        scenario.clock.milliseconds += 1000
        _ = try b.update("Item", there, ["box": .integer(b.id(of: boxes[1], on: a))])
        for store in comesLoserFirst ? [a, b] : [b, a] {
            try scenario.zone.push(from: store)
            try scenario.zone.pull(into: new)
        }
        let (record, box) = (try #require(try a.recordID(of: item)), try a.recordID(of: boxes[0]))
        let conflict = try #require(try new.conflicts().first)
        #expect(try new.conflictCount() == 1)
        #expect(conflict.property == WireProperty(name: "box", type: .group, rule: .group))
        #expect(
            conflict.value
                == ListEntry(target: try #require(box), position: .unplaced(record)).value)
    }

    @Test func `loses nothing to an equal reference of an earlier version`() throws {
        let scenario = try StoreScenario(model: try Self.model(isOrdered: false))
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        let new = try scenario.open("new", model: try Self.model(isOrdered: true))
        let box = try a.insert("Box", ["title": "one"])
        let item = try a.insert("Item", ["name": "item"])
        for store in [a, b, new] { try scenario.zone.sync(store) }
        _ = try a.update("Item", item, ["box": .integer(box)])
        scenario.clock.milliseconds += 1000
        _ = try b.update("Item", b.id(of: item, on: a), ["box": .integer(b.id(of: box, on: a))])
        for store in [a, b] { try scenario.zone.push(from: store) }
        try scenario.zone.pull(into: new)
        #expect(try new.conflicts().isEmpty)
    }
}
