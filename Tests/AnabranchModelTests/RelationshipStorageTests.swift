import AnabranchModel
import AnabranchReplication
import Testing

/// Tests that one of two inverses is stored, chosen by wire names alone.
struct RelationshipStorageTests {
    @Test func `the to-one of a one-to-many is stored`() throws {
        let model = try ManagedObjectModel(entities: ModelExamples.office)
        #expect(try model.relationship("Employee", "boss").storage == .reference)
        #expect(try model.relationship("Employee", "reports").storage == .inverseReference)
        let boss = try model.relationship("Employee", "boss")
        #expect(try model.relationship("Employee", "reports").storedSide == boss)
    }

    @Test func `the side of a one-to-one with the smaller wire name is stored`() throws {
        let model = try ManagedObjectModel(entities: ModelExamples.office)
        // "Employee" is smaller than "Table", the wire name of Desk, though "Desk" is not.
        #expect(try model.relationship("Employee", "desk").storage == .reference)
        #expect(try model.relationship("Desk", "user").storage == .inverseReference)
        #expect(try model.relationship("Desk", "user").wireProperty.name == "desk")
    }

    @Test func `the side of a many-to-many with the smaller wire name is the left one`() throws {
        let model = try ManagedObjectModel(entities: ModelExamples.office)
        #expect(try model.relationship("Employee", "projects").storage == .links(.left))
        #expect(try model.relationship("Project", "members").storage == .links(.right))
        let left = try model.relationship("Employee", "projects")
        #expect(try model.relationship("Project", "members").storedSide == left)
    }

    @Test func `a rename does not change the stored side`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Zebra", renamingIdentifier: "A") {
                RelationshipDeclaration("one", toMany: "B", inverse: "two")
            }
            EntityDeclaration("B") {
                RelationshipDeclaration("two", toMany: "Zebra", inverse: "one")
            }
        }
        #expect(try model.relationship("Zebra", "one").storage == .links(.left))
        #expect(try model.relationship("B", "two").storage == .links(.right))
    }

    @Test func `a many-to-many within one entity is decided by the property`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Node") {
                RelationshipDeclaration("sources", toMany: "Node", inverse: "targets")
                RelationshipDeclaration("targets", toMany: "Node", inverse: "sources")
            }
        }
        #expect(try model.relationship("Node", "sources").storage == .links(.left))
        #expect(try model.relationship("Node", "targets").storage == .links(.right))
    }

    @Test func `a transient relationship is nowhere, and has the sides of links`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("A") {
                RelationshipDeclaration("own", to: "A", transient: true, inverse: "own")
                RelationshipDeclaration("one", to: "B", transient: true, inverse: "two")
                RelationshipDeclaration("only", toMany: "B", transient: true)
            }
            EntityDeclaration("B") {
                RelationshipDeclaration("two", toMany: "A", transient: true, inverse: "one")
            }
        }
        #expect(try model.relationship("A", "own").storage == .memory(.both))
        #expect(try model.relationship("A", "one").storage == .memory(.left))
        #expect(try model.relationship("B", "two").storage == .memory(.right))
        #expect(try model.relationship("A", "only").storage == .memory(.left))
        let entity = try #require(model.entity(named: "A"))
        #expect(
            ["own", "one", "only"].allSatisfy { entity.property(wireName: WireName($0)) == nil })
    }

    @Test func `without an inverse the one side is stored`() throws {
        let model = try ManagedObjectModel(entities: ModelExamples.office)
        #expect(try model.relationship("Project", "tags").storage == .links(.left))
        #expect(try model.relationship("Project", "lead").storage == .reference)
        #expect(try model.relationship("Project", "similar").storage == .links(.both))
    }

    @Test func `an inverse may be inherited by the destination`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Base") {
                RelationshipDeclaration("owner", to: "Owner", inverse: "things")
            }
            EntityDeclaration("Thing", parent: "Base")
            EntityDeclaration("Owner") {
                RelationshipDeclaration("things", toMany: "Thing", inverse: "owner")
            }
        }
        #expect(try model.relationship("Owner", "things").inverse?.entity.name == "Base")
        #expect(try model.relationship("Thing", "owner").inverse?.name == "things")
    }

    @Test func `an ordered to-many is a list, or makes its inverse a place in one`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("List") {
                RelationshipDeclaration("items", toMany: "Item", ordered: true, inverse: "list")
                RelationshipDeclaration("tags", toMany: "Tag", ordered: true, inverse: "lists")
                RelationshipDeclaration("seen", toMany: "Item", ordered: true)
                RelationshipDeclaration("next", toMany: "List", ordered: true, inverse: "next")
            }
            EntityDeclaration("Item") {
                RelationshipDeclaration("list", to: "List", inverse: "items")
            }
            EntityDeclaration("Tag") {
                RelationshipDeclaration("lists", toMany: "List", inverse: "tags")
            }
        }
        let list = try model.relationship("Item", "list")
        #expect(list.wireProperty == WireProperty(name: "list", type: .group, rule: .group))
        #expect(list.isListEntry && !list.isOrdered)
        #expect(try model.relationship("List", "items").wireProperty == list.wireProperty)
        #expect(try model.relationship("List", "items").isOrdered)
        let tags = try model.relationship("List", "tags")
        #expect(tags.wireProperty == WireProperty(name: "tags", type: .links, rule: .list))
        #expect(try model.relationship("Tag", "lists").wireProperty == tags.wireProperty)
        #expect(try model.relationship("Tag", "lists").isOrdered == false)
        #expect(try model.relationship("List", "seen").wireProperty.rule == .list)
        #expect(
            try model.relationship("List", "next").wireProperty
                == WireProperty(name: "next", type: .mutualLinks, rule: .list))
    }
}
