import AnabranchModel
import AnabranchReplication
import Testing

/// Tests of what makes a model another version (statements 5 and 7 of Core Data's behaviour).
@Suite struct `The version of a model` {
    typealias Change = (name: String, make: @Sendable (inout ModelDeclaration) -> Void)

    private static func plain() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("A") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("x", .double)
                AttributeDeclaration("z", .integer64)
                RelationshipDeclaration("many", toMany: "B", inverse: "one")
                RelationshipDeclaration("other", to: "A")
                UniquenessConstraint("text")
            }
            EntityDeclaration("B") { RelationshipDeclaration("one", to: "A", inverse: "many") }
            EntityDeclaration("C", parent: "B")
        }
    }

    private static func changed(_ change: Change) throws -> ManagedObjectModel {
        var declaration = try plain().declaration
        change.make(&declaration)
        return try ManagedObjectModel(declaration)
    }

    private static let otherVersions: [Change] = [
        ("an entity's name", { $0.entities[2].name = "D" }),
        ("abstract", { $0.entities[2].isAbstract = true }),
        ("a super-entity", { $0.entities[2].parent = nil }),
        ("an entity's modifier", { $0.entities[0].versionHashModifier = "2" }),
        ("a constraint", { $0.entities[0].uniquenessConstraints = [] }),
        ("a new entity", { $0.entities.append(EntityDeclaration("D")) }),
        ("an attribute's name", { $0.entities[0].attributes[1].name = "y" }),
        ("a type", { $0.entities[0].attributes[1].type = .float }),
        ("an optional attribute", { $0.entities[0].attributes[1].isOptional = false }),
        ("a transient attribute", { $0.entities[0].attributes[1].isTransient = true }),
        (
            "a derived attribute",
            { $0.entities[0].attributes[2].derivationExpression = "many.@count" }
        ),
        ("an attribute's modifier", { $0.entities[0].attributes[1].versionHashModifier = "2" }),
        (
            "a new attribute",
            { $0.entities[0].attributes.append(AttributeDeclaration("new", .date)) }
        ),
        (
            "a transient relationship", { $0.entities[0].relationships[1].isTransient = true }
        ),
        ("a destination", { $0.entities[0].relationships[1].destination = "B" }),
        (
            "an inverse's name",
            {
                $0.entities[0].relationships[0].name = "several"
                $0.entities[1].relationships[0].inverse = "several"
            }
        ),
        ("a least count", { $0.entities[0].relationships[0].minCount = 1 }),
        ("a greatest count", { $0.entities[0].relationships[0].maxCount = 9 }),
        ("an optional relationship", { $0.entities[0].relationships[1].isOptional = false }),
        ("an ordered relationship", { $0.entities[0].relationships[0].isOrdered = true }),
        (
            "a relationship's modifier",
            { $0.entities[0].relationships[1].versionHashModifier = "2" }
        ),
        ("a wire name", { $0.entities[0].attributes[1].wireName = "w" }),
        ("a merge rule", { $0.entities[0].attributes[1].mergeRule = .max }),
        (
            "a group",
            { $0.entities[0].attributeGroups = [AttributeGroup("g", attributes: ["text", "x"])] }
        ),
        ("a delete policy", { $0.entities[0].deletePolicy = .updateWins }),
        ("an acyclic relationship", { $0.entities[0].relationships[1].isAcyclic = true }),
    ]

    private static let sameVersion: [Change] = [
        ("a default", { $0.entities[0].attributes[1].defaultValue = 1.5 }),
        ("bounds", { $0.entities[0].attributes[1].minimum = 0.0 }),
        ("a regular expression", { $0.entities[0].attributes[0].regularExpression = "a+" }),
        (
            "external storage",
            { $0.entities[0].attributes[1].allowsExternalBinaryDataStorage = true }
        ),
        (
            "a value kept after a deletion",
            { $0.entities[0].attributes[1].preservesValueInHistoryOnDeletion = true }
        ),
        ("a validation", { $0.entities[0].attributes[1].validations = [.init("SELF > 1")] }),
        ("a delete rule", { $0.entities[1].relationships[0].deleteRule = .deny }),
        (
            "a validation of a relationship",
            { $0.entities[0].relationships[0].validations = [.init("SELF.@count < 9")] }
        ),
        ("a class", { $0.entities[0].representedClassName = "App.A" }),
        ("an index", { $0.entities[0].indexes = [IndexDeclaration("i", on: "x")] }),
        ("user info", { $0.entities[0].userInfo = ["k": "v"] }),
        ("user info of a relationship", { $0.entities[0].relationships[0].userInfo = ["k": "v"] }),
        (
            "an attribute's renaming identifier",
            {
                $0.entities[0].attributes[1].wireName = "x"
                $0.entities[0].attributes[1].renamingIdentifier = "formerX"
            }
        ),
        (
            "a template",
            { $0.fetchRequestTemplates = [FetchRequestTemplate("t", entity: "A", fetchLimit: 3)] }
        ),
        ("a version identifier", { $0.versionIdentifier = "2" }),
    ]

    @Test(arguments: `The version of a model`.otherVersions.map(\.name))
    func `is another one after a change of`(what: String) throws {
        let change = try #require(Self.otherVersions.first { $0.name == what })
        let (plain, other) = (try Self.plain(), try Self.changed(change))
        #expect(!plain.hasVersion(of: other) && !other.hasVersion(of: plain))
        #expect(plain.entityVersionHashesByName != other.entityVersionHashesByName)
    }

    @Test(arguments: `The version of a model`.sameVersion.map(\.name))
    func `stays the same after a change of`(what: String) throws {
        let change = try #require(Self.sameVersion.first { $0.name == what })
        let (plain, other) = (try Self.plain(), try Self.changed(change))
        #expect(plain.hash != other.hash)
        #expect(plain.hasVersion(of: other) && other.hasVersion(of: plain))
        #expect(plain.entityVersionHashesByName == other.entityVersionHashesByName)
    }

    @Test func `reaches a sub-entity when its super-entity changes`() throws {
        let plain = try Self.plain()
        let other = try Self.changed(("", { $0.entities[1].relationships[0].isOptional = false }))
        let names = plain.entities.filter {
            other.entity(named: $0.name)?.versionHash != $0.versionHash
        }.map(\.name)
        #expect(names == ["B", "C"])
        #expect(plain.entityVersionHashesByName.values.allSatisfy { $0.count == 32 })
    }

    @Test func `does not depend on the order of the declaration`() throws {
        var declaration = try Self.plain().declaration
        declaration.entities.reverse()
        declaration.entities[2].attributes.reverse()
        #expect(try ManagedObjectModel(declaration).hasVersion(of: Self.plain()))
    }
}
