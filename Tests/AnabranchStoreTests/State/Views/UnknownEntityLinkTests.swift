import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Links from records of a sub-entity that a version of the model does not know, to records that
/// show as one there.
@Suite struct `A link from an unknown entity to a merged duplicate` {
    private let scenario: StoreScenario
    private let new: Store
    private let old: Store
    private let gadget: LocalID
    private let labels: [LocalID]

    init() throws {
        scenario = try StoreScenario(model: try Self.model(isNew: true))
        new = try scenario.open("new")
        old = try scenario.open("old", model: try Self.model(isNew: false))
        gadget = try new.insert("Gadget", [:])
        let store = new
        labels = try ["x", "y"].map { try store.insert("Label", ["text": .string($0)]) }
    }

    /// The old version has no gadgets, and its labels are unique.
    private static func model(isNew: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
            }
            if isNew { EntityDeclaration("Gadget", parent: "Item") }
            EntityDeclaration("Label") {
                if !isNew { UniquenessConstraint("text") }
                AttributeDeclaration("text", .string)
                RelationshipDeclaration("items", toMany: "Item", inverse: "labels")
            }
        }
    }

    private func link(_ label: Int, isAdded: Bool = true) throws {
        try new.link(gadget, "labels", labels[label], of: "Gadget", isAdded: isAdded)
        scenario.clock.milliseconds += 1
    }

    private func expectOneState() throws {
        for store in [new, old] { try scenario.zone.sync(store) }
        let reference = try scenario.zone.reference().canonicalHash
        #expect(try new.canonicalHash() == reference && old.canonicalHash() == reference)
        #expect(try old.check().isValid)
    }

    @Test func `is removed while the labels show as one, and added again`() throws {
        try link(0)
        _ = try new.update("Label", labels[0], ["text": .string("y")])
        try expectOneState()
        for isAdded in [false, true, false] {
            try link(0, isAdded: isAdded)
            try expectOneState()
        }
    }

    @Test func `keeps its tags when the labels part`() throws {
        _ = try new.update("Label", labels[0], ["text": .string("y")])
        try expectOneState()
        for label in 0...1 { try link(label) }
        try expectOneState()
        _ = try new.update("Label", labels[0], ["text": .string("z")])
        try expectOneState()
        try link(0, isAdded: false)
        try expectOneState()
    }
}
