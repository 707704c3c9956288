import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

/// Tests of each check of a whole model, with the place that the error names.
struct ModelCheckerTests {
    private func expect(
        _ code: ModelError.Code, at entity: String?, _ property: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        @ModelBuilder _ content: () -> [EntityDeclaration]
    ) throws {
        let problems = try refusal(content).all
        let found = problems.contains {
            $0.code == code && $0.entity == entity && $0.property == property
        }
        #expect(found, "found \(problems)", sourceLocation: sourceLocation)
    }

    @Test func `names are unique in the model, the entity and its ancestors`() throws {
        try expect(.duplicateName, at: "A") {
            EntityDeclaration("A")
            EntityDeclaration("A")
        }
        try expect(.duplicateName, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string)
                RelationshipDeclaration("x", to: "A")
            }
        }
        try expect(.duplicateName, at: "B", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .string) }
            EntityDeclaration("B", parent: "A") { AttributeDeclaration("x", .string) }
        }
    }

    @Test func `entities of which neither is above the other may share names of properties`() throws
    {
        let a = EntityDeclaration("A") { AttributeDeclaration("code", .integer16) }
        let b = EntityDeclaration("B", parent: "A") {
            AttributeDeclaration("x", .string)
            AttributeDeclaration("z", .double, wireName: "w")
            RelationshipDeclaration("r", to: "B")
        }
        let c = EntityDeclaration("C", parent: "A") {
            AttributeDeclaration("x", .string)
            AttributeDeclaration("y", .double, wireName: "w")
            RelationshipDeclaration("r", toMany: "A")
        }
        let model = try ManagedObjectModel {
            a
            b
            c
        }
        let turned = try ManagedObjectModel {
            c
            b
            a
        }
        #expect(model.canonicalEncoding == turned.canonicalEncoding)
        #expect(try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding) == model)
        for name in ["B", "C"] {
            let entity = try #require(model.entity(named: name))
            for (wireName, property) in [("x", "x"), ("w", name == "B" ? "z" : "y"), ("r", "r")] {
                let found = try #require(entity.property(wireName: WireName(wireName)))
                #expect(found.name == property && found.entity === entity)
            }
        }
    }

    @Test func `a grandchild may not have a name of its ancestors`() throws {
        for name in ["x", "y"] {
            try expect(.duplicateName, at: "D", name) {
                EntityDeclaration("A") { AttributeDeclaration("x", .string) }
                EntityDeclaration("B", parent: "A") { AttributeDeclaration("y", .string) }
                EntityDeclaration("C", parent: "A") { AttributeDeclaration("y", .string) }
                EntityDeclaration("D", parent: "B") { AttributeDeclaration(name, .double) }
            }
        }
    }

    @Test func `wire names are unique in the model and in a hierarchy`() throws {
        try expect(.duplicateWireName, at: "B") {
            EntityDeclaration("A")
            EntityDeclaration("B", wireName: "A")
        }
        try expect(.duplicateWireName, at: "B", "y") {
            EntityDeclaration("A") { AttributeDeclaration("x", .string) }
            EntityDeclaration("B", parent: "A") {
                AttributeDeclaration("y", .string, renamingIdentifier: "x")
            }
        }
    }

    @Test(arguments: ["", "1st", "a.b", "a b", "ab_pk", "AB_x", "a\u{0}", "a\"b"])
    func `a name that cannot be a column is refused`(name: String) throws {
        try expect(.invalidName, at: "A", name) {
            EntityDeclaration("A") { AttributeDeclaration(name, .string) }
        }
        try expect(.invalidName, at: name) { EntityDeclaration(name) }
    }

    @Test func `names have at most the wire's length and may be in any script`() throws {
        let longest = String(repeating: "n", count: Limits.longestName)
        _ = try ManagedObjectModel {
            EntityDeclaration(longest) { AttributeDeclaration("größe", .string) }
        }
        try expect(.invalidName, at: longest + "n") { EntityDeclaration(longest + "n") }
        try expect(.invalidName, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .string, wireName: longest + "n") }
        }
    }

    @Test func `parents exist and do not go in circles`() throws {
        try expect(.unknownEntity, at: "A") { EntityDeclaration("A", parent: "Nobody") }
        try expect(.inheritanceCycle, at: "B") {
            EntityDeclaration("A", parent: "B")
            EntityDeclaration("B", parent: "A")
            EntityDeclaration("C", parent: "B")
        }
        try expect(.inheritanceCycle, at: "A") { EntityDeclaration("A", parent: "A") }
    }

    @Test(.long) func `depth, properties and entities are limited`() throws {
        let deep = (0..<65).map {
            EntityDeclaration("E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)")
        }
        try expect(.limitExceeded, at: "E64") { deep }
        _ = try ManagedObjectModel(entities: Array(deep.prefix(64)))
        try expect(.limitExceeded, at: "A") {
            EntityDeclaration("A") {
                for number in 0...1900 { AttributeDeclaration("a\(number)", .string) }
            }
        }
        try expect(.limitExceeded, at: nil) {
            EntityDeclaration("A") {
                for number in 0..<200 { AttributeDeclaration("a\(number)", .string) }
            }
            (0..<1400).map { EntityDeclaration("E\($0)", parent: "A") }
        }
        try expect(.limitExceeded, at: nil) { (0...4096).map { EntityDeclaration("E\($0)") } }
    }

    @Test func `an attribute without a type must be transient`() throws {
        try expect(.invalidProperty, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .undefined) }
        }
    }

    @Test func `defaults fit their type`() throws {
        try expect(.invalidValue, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .integer16, default: 40_000) }
        }
        try expect(.invalidValue, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .date, default: "yesterday") }
        }
        try expect(.invalidValue, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .float, default: 1e300) }
        }
    }

    @Test func `bounds fit their type and each other`() throws {
        try expect(.invalidBounds, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .integer32, minimum: 3, maximum: 2) }
        }
        try expect(.invalidBounds, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .string, minimum: -1) }
        }
        try expect(.invalidBounds, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .uuid, maximum: 1) }
        }
        try expect(.invalidBounds, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .double, maximum: .double(.nan)) }
        }
        try expect(.invalidBounds, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .decimal, minimum: 2.5, maximum: 2.25)
            }
        }
    }

    @Test(arguments: ["[a", "a)|(b", "a{2,1}"])
    func `regular expressions can be read`(pattern: String) throws {
        try expect(.invalidRegularExpression, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string, regularExpression: pattern)
            }
        }
    }

    @Test func `only strings are matched`() throws {
        try expect(.invalidRegularExpression, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .double, regularExpression: ".") }
        }
    }

    @Test func `a merge rule fits the attribute's type`() throws {
        let fitting: [(AttributeType, MergeRule)] = [
            (.integer64, .counter), (.decimal, .counter), (.date, .max), (.string, .min),
            (.boolean, .max), (.binary, .firstWriter), (.uuid, .keepBoth),
        ]
        for (type, rule) in fitting {
            let model = try ManagedObjectModel {
                EntityDeclaration("A") { AttributeDeclaration("x", type, mergeRule: rule) }
            }
            #expect(try model.attribute("A", "x").wireProperty.rule == rule)
            let again = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
            #expect(try again.attribute("A", "x").wireProperty.rule == rule)
        }
        let refused: [(AttributeType, MergeRule)] = [
            (.double, .counter), (.integer16, .counter), (.binary, .max), (.uuid, .min),
            (.string, .group), (.string, .set), (.string, MergeRule(rawValue: 99)),
        ]
        for (type, rule) in refused {
            try expect(.invalidProperty, at: "A", "x") {
                EntityDeclaration("A") { AttributeDeclaration("x", type, mergeRule: rule) }
            }
        }
        try expect(.invalidProperty, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .integer64, transient: true, mergeRule: .counter)
            }
        }
        try expect(.notSupportedYet, at: "A", "x") {
            EntityDeclaration("A") { AttributeDeclaration("x", .string, mergeRule: .text) }
        }
    }

    @Test func `the delete policy of an entity holds for its sub-entities`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("A", deletePolicy: .updateWins) { AttributeDeclaration("x", .string) }
            EntityDeclaration("B", parent: "A")
            EntityDeclaration("C") { AttributeDeclaration("x", .string) }
        }
        for name in ["A", "B"] { #expect(try model.required(name).deletePolicy == .updateWins) }
        #expect(try model.required("C").deletePolicy == .deleteWins)
        let again = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(try again.required("B").deletePolicy == .updateWins)
        #expect(again.hash == model.hash)
    }

    @Test func `a to-one between objects of one kind may be acyclic`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("A") {
                RelationshipDeclaration("above", to: "A", acyclic: true, inverse: "below")
                RelationshipDeclaration("below", toMany: "A", inverse: "above")
                RelationshipDeclaration("next", to: "A", inverse: "previous")
                RelationshipDeclaration("previous", to: "A", acyclic: true, inverse: "next")
            }
            EntityDeclaration("B", parent: "A")
        }
        let again = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        for model in [model, again] {
            let entity = try model.required("A")
            for (name, isAcyclic) in [
                ("above", true), ("below", false), ("next", true), ("previous", true),
            ] {
                #expect(entity.property(named: name)?.relationship?.isAcyclic == isAcyclic)
            }
        }
        #expect(again.hash == model.hash)
        try expect(.invalidProperty, at: "A", "r") {
            EntityDeclaration("A") { RelationshipDeclaration("r", to: "B", acyclic: true) }
            EntityDeclaration("B") { AttributeDeclaration("x", .string) }
        }
    }

    @Test func `destination and inverse exist and are mutual`() throws {
        try expect(.unknownEntity, at: "A", "r") {
            EntityDeclaration("A") { RelationshipDeclaration("r", to: "B") }
        }
        try expect(.unknownProperty, at: "A", "r") {
            EntityDeclaration("A") { RelationshipDeclaration("r", to: "A", inverse: "s") }
        }
        try expect(.unknownProperty, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A", inverse: "s")
                AttributeDeclaration("s", .string)
            }
        }
        try expect(.inverseMismatch, at: "A", "r") {
            EntityDeclaration("A") { RelationshipDeclaration("r", to: "B", inverse: "s") }
            EntityDeclaration("B") {
                RelationshipDeclaration("s", to: "A", inverse: "t")
                RelationshipDeclaration("t", to: "B")
            }
        }
        try expect(.inverseMismatch, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A", inverse: "s")
                RelationshipDeclaration("q", to: "A", inverse: "s")
                RelationshipDeclaration("s", toMany: "A", inverse: "q")
            }
        }
    }

    @Test func `a to-one is not ordered`() throws {
        var ordered = RelationshipDeclaration("r", to: "A")
        ordered.isOrdered = true
        let toOne = ordered
        try expect(.invalidProperty, at: "A", "r") { EntityDeclaration("A") { toOne } }
    }

    @Test func `a to-one that is its own inverse refers to its own entity, and makes circles`()
        throws
    {
        let model = try ManagedObjectModel {
            EntityDeclaration("A") { RelationshipDeclaration("r", to: "A", inverse: "r") }
            EntityDeclaration("B", parent: "A")
        }
        let relationship = try model.relationship("B", "r")
        #expect(relationship.storage == .reference && relationship.inverse == relationship)
        #expect(relationship.wireProperty.type == .reference)
        try expect(.invalidProperty, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A", acyclic: true, inverse: "r")
            }
        }
        try expect(.inverseMismatch, at: "A", "r") {
            EntityDeclaration("A") { RelationshipDeclaration("r", to: "B", inverse: "r") }
            EntityDeclaration("B", parent: "A")
        }
    }

    @Test func `an inverse of a transient relationship is transient too`() throws {
        let error = try refusal {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "B", transient: true, inverse: "s")
            }
            EntityDeclaration("B") { RelationshipDeclaration("s", toMany: "A", inverse: "r") }
        }
        #expect(error.all.map(\.code) == [.inverseMismatch])
        #expect(error.message.contains("A.r") && error.message.contains("B.s"))
        try expect(.invalidProperty, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A", transient: true, acyclic: true)
            }
        }
        try expect(.invalidProperty, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A", transient: true)
                IndexDeclaration("i", on: "r")
            }
        }
    }

    @Test func `counts are possible`() throws {
        try expect(.invalidBounds, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", toMany: "A", minCount: 3, maxCount: 2)
            }
        }
        try expect(.invalidBounds, at: "A", "r") {
            EntityDeclaration("A") { RelationshipDeclaration("r", toMany: "A", minCount: -1) }
        }
        var many = RelationshipDeclaration("r", to: "A")
        many.maxCount = 2
        let toOne = many
        try expect(.invalidBounds, at: "A", "r") { EntityDeclaration("A") { toOne } }
    }

    @Test func `constraints name stored attributes once`() throws {
        try expect(.unknownProperty, at: "A", "x") {
            EntityDeclaration("A") { UniquenessConstraint("x") }
        }
        try expect(.invalidProperty, at: "A") {
            EntityDeclaration("A") { UniquenessConstraint(attributes: []) }
        }
        try expect(.invalidProperty, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string)
                UniquenessConstraint("x", "x")
            }
        }
        try expect(.invalidProperty, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string, transient: true)
                UniquenessConstraint("x")
            }
        }
        try expect(.notSupportedYet, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A")
                UniquenessConstraint("r")
            }
        }
    }

    @Test func `indexes name columns`() throws {
        try expect(.unknownProperty, at: "A", "x") {
            EntityDeclaration("A") { IndexDeclaration("i", on: "x") }
        }
        try expect(.invalidProperty, at: "A", "x") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string, transient: true)
                IndexDeclaration("i", on: "x")
            }
        }
        try expect(.invalidProperty, at: "A", "r") {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", toMany: "A")
                IndexDeclaration("i", on: "r")
            }
        }
        try expect(.duplicateName, at: "A") {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string)
                IndexDeclaration("i", on: "x")
                IndexDeclaration("i", on: "x")
            }
        }
        let model = try ManagedObjectModel {
            EntityDeclaration("A") {
                RelationshipDeclaration("r", to: "A")
                IndexDeclaration("i", on: "r")
                IndexDeclaration("empty", elements: [])
            }
        }
        #expect(try model.required("A").indexes.map(\.name) == ["i"])
    }

    @Test func `fetch request templates name entities`() throws {
        let declaration = ModelDeclaration(
            entities: [EntityDeclaration("A")],
            fetchRequestTemplates: [
                FetchRequestTemplate("all", entity: "A"), FetchRequestTemplate("all", entity: "B"),
            ])
        let error = try #require(throws: ModelError.self) { try ManagedObjectModel(declaration) }
        #expect(error.all.map(\.code) == [.duplicateName, .unknownEntity])
    }

    @Test func `every problem is reported at once`() throws {
        let error = try refusal {
            EntityDeclaration("A", parent: "Gone") {
                AttributeDeclaration("x", .integer16, default: "text")
                RelationshipDeclaration("r", to: "Nowhere")
            }
        }
        #expect(error.all.map(\.code) == [.unknownEntity, .invalidValue, .unknownEntity])
        #expect(error.description.split(separator: "\n").count == 3)
    }
}
