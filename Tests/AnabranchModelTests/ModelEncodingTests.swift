import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

struct ModelEncodingTests {
    @Test func `a decoded model equals the encoded one`() throws {
        let model = try ManagedObjectModel(entities: ModelExamples.office)
        let decoded = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(decoded.declaration == model.declaration)
        #expect(decoded == model && decoded.hash == model.hash)
        #expect(decoded.hash.count == 32)
        #expect(
            decoded.entities.map { $0.slots.map(\.name) }
                == model.entities.map { $0.slots.map(\.name) })
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `the order of declaration does not matter`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let shuffled = ModelExamples.office.map { entity in
            var entity = entity
            entity.attributes.shuffle(using: &generator)
            entity.relationships.shuffle(using: &generator)
            entity.indexes.shuffle(using: &generator)
            entity.uniquenessConstraints.shuffle(using: &generator)
            return entity
        }.shuffled(using: &generator)
        let model = try ManagedObjectModel(entities: ModelExamples.office)
        #expect(try ManagedObjectModel(entities: shuffled) == model)
    }

    @Test func `a model that writes out implied settings equals one that omits them`() throws {
        let short = try ManagedObjectModel {
            EntityDeclaration("A") { AttributeDeclaration("x", .double, default: 1) }
        }
        let long = try ManagedObjectModel {
            EntityDeclaration("A", wireName: "A") {
                AttributeDeclaration("x", .double, default: 1.0, wireName: "x")
            }
        }
        #expect(short == long)
    }

    /// Single changes to a model with A above B, the attribute A.x and the relationships A.many and
    /// B.one.
    static let changes: [(String, @Sendable (inout ModelDeclaration) -> Void)] = [
        ("an attribute is mandatory", { $0.entities[0].attributes[0].isOptional = false }),
        ("a relationship is mandatory", { $0.entities[1].relationships[0].isOptional = false }),
        ("an attribute is transient", { $0.entities[0].attributes[0].isTransient = true }),
        (
            "a relationship is transient",
            {
                $0.entities[0].relationships[0].isTransient = true
                $0.entities[1].relationships[0].isTransient = true
            }
        ),
        ("an attribute's type", { $0.entities[0].attributes[0].type = .float }),
        ("an attribute's name", { $0.entities[0].attributes[0].name = "y" }),
        ("a destination", { $0.entities[0].relationships[1].destination = "B" }),
        (
            "an inverse",
            {
                $0.entities[0].relationships[0].inverse = nil
                $0.entities[1].relationships[0].inverse = nil
            }
        ),
        (
            "an inverse's name",
            {
                $0.entities[0].relationships[0].name = "several"
                $0.entities[1].relationships[0].inverse = "several"
            }
        ),
        ("a least count", { $0.entities[0].relationships[0].minCount = 1 }),
        ("a greatest count", { $0.entities[0].relationships[0].maxCount = 9 }),
        ("abstract", { $0.entities[0].isAbstract = true }),
        ("a super-entity", { $0.entities[1].parent = nil }),
        ("a default", { $0.entities[0].attributes[0].defaultValue = 1.5 }),
        ("a delete rule", { $0.entities[1].relationships[0].deleteRule = .deny }),
        ("a validation", { $0.entities[0].attributes[0].validations = [.init("SELF > 1")] }),
        ("user info", { $0.entities[0].userInfo = ["k": "v"] }),
        ("a class", { $0.entities[0].representedClassName = "App.A" }),
        ("an entity's modifier", { $0.entities[0].versionHashModifier = "2" }),
        ("an attribute's modifier", { $0.entities[0].attributes[0].versionHashModifier = "2" }),
        (
            "a relationship's modifier",
            { $0.entities[0].relationships[0].versionHashModifier = "2" }
        ),
    ]

    @Test(arguments: ModelEncodingTests.changes.map(\.0))
    func `a model that says anything else has other bytes`(change: String) throws {
        let plain = try ManagedObjectModel {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .double)
                RelationshipDeclaration("many", toMany: "B", inverse: "one")
                RelationshipDeclaration("other", to: "A")
            }
            EntityDeclaration("B", parent: "A") {
                RelationshipDeclaration("one", to: "A", inverse: "many")
            }
        }
        var declaration = plain.declaration
        try #require(Self.changes.first { $0.0 == change }).1(&declaration)
        let other = try ManagedObjectModel(declaration)
        #expect(plain != other && plain.hash != other.hash)
        #expect(try ManagedObjectModel(canonicalEncoding: other.canonicalEncoding) == other)
        #expect(try ManagedObjectModel(plain.declaration).hash == plain.hash)
    }

    @Test func `a template's settings are part of the bytes where they are not the usual ones`()
        throws
    {
        func model(_ template: FetchRequestTemplate) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                ModelDeclaration(
                    entities: [EntityDeclaration("A")], fetchRequestTemplates: [template]))
        }
        let usual = FetchRequestTemplate("t", entity: "A", fetchLimit: 3)
        #expect(
            try model(usual).canonicalEncoding.hexadecimal
                == "41424d01020601014102014103090101740401410601" + "06")
        let settings: [(inout FetchRequestTemplate) -> Void] = [
            { $0.fetchBatchSize = 20 }, { $0.includesSubentities = false },
            { $0.includesPendingChanges = false }, { $0.includesPropertyValues = false },
            { $0.returnsObjectsAsFaults = false },
        ]
        var hashes: Set<[UInt8]> = [try model(usual).hash]
        for set in settings {
            var template = usual
            set(&template)
            let unusual = try model(template)
            let decoded = try ManagedObjectModel(canonicalEncoding: unusual.canonicalEncoding)
            #expect(decoded == unusual && decoded.fetchRequestTemplate(named: "t") == template)
            hashes.insert(unusual.hash)
        }
        #expect(hashes.count == settings.count + 1)
    }

    @Test func `the bytes of a model stay what they are`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person", userInfo: ["k": "v"]) {
                AttributeDeclaration("age", .integer16, optional: false, default: 0, maximum: 150)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports", deleteRule: .deny)
                RelationshipDeclaration("reports", toMany: "Person", maxCount: 9, inverse: "boss")
                IndexDeclaration(
                    "byAge", elements: [IndexDeclaration.Element("age", ascending: false)])
                UniquenessConstraint("age")
            }
        }
        #expect(model.canonicalEncoding.hexadecimal == Self.golden)
        let decoded = try ManagedObjectModel(
            canonicalEncoding: try #require([UInt8](hexadecimal: Self.golden)))
        #expect(decoded == model)
    }

    private static let golden =
        "41424d01029b010106506572736f6e0206506572736f6e0717010361676502036167650302c8010602020008"
        + "0302ac0208250104626f73730204626f73730306506572736f6e05000801020901060a077265706f72747308"
        + "2a01077265706f72747302077265706f7274730306506572736f6e040005000801120901020a04626f737309"
        + "10010562794167650207010361676503000a0501036167650b04016b0176"

    @Test func `the bytes of a model with a group stay what they are`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Meeting") {
                AttributeDeclaration("start", .date)
                AttributeDeclaration("end", .date, wireName: "until")
                AttributeGroup("time", "start", "end")
            }
        }
        #expect(model.canonicalEncoding.hexadecimal == Self.groupGolden)
        let decoded = try ManagedObjectModel(
            canonicalEncoding: try #require([UInt8](hexadecimal: Self.groupGolden)))
        #expect(decoded == model)
        let without = try ManagedObjectModel {
            EntityDeclaration("Meeting") {
                AttributeDeclaration("start", .date)
                AttributeDeclaration("end", .date, wireName: "until")
            }
        }
        #expect(without.hash != model.hash)
    }

    private static let groupGolden =
        "41424d01025001074d656574696e6702074d656574696e6707120103656e640205756e74696c0302880e04"
        + "00071401057374617274020573746172740302880e04000d12010474696d650203656e6402057374617274"

    @Test func `a cut of the bytes is an error or a whole smaller model`() throws {
        let bytes = try ManagedObjectModel(entities: ModelExamples.office).canonicalEncoding
        var models = 0
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            guard let model = try? ManagedObjectModel(canonicalEncoding: cut) else { continue }
            #expect(model.canonicalEncoding == cut)
            models += 1
        }
        // This is only the model without entities, because each entity here needs one that comes
        // after it.
        #expect(models == 1)
    }

    @Test(arguments: TestLength.seeds(800))
    func `damaged bytes are another model or an error, never a trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let original = try ManagedObjectModel(entities: ModelExamples.office).canonicalEncoding
        for _ in 0..<50 {
            var bytes = original
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(ModelError) {
                let model = try ManagedObjectModel(canonicalEncoding: bytes)
                #expect(model.canonicalEncoding == bytes)
            } catch {
                #expect(error.offset.map { (0...bytes.count).contains($0) } ?? true)
            }
        }
    }

    @Test func `errors of bytes name the offset and what to do`() throws {
        func error(_ bytes: [UInt8]) throws -> ModelError {
            try #require(throws: ModelError.self) {
                try ManagedObjectModel(canonicalEncoding: bytes)
            }
        }
        #expect(try error([]).code == .malformedEncoding)
        #expect(try error(Array("ABM".utf8) + [2]).code == .unsupportedVersion)
        #expect(try error(Array("ABM".utf8) + [1, 99, 0]).code == .unsupportedVersion)
        let unsorted = try error(Array("ABM".utf8) + [1, 2, 3, 1, 1, 66, 2, 3, 1, 1, 65])
        #expect(unsorted.code == .malformedEncoding && unsorted.offset != nil)
    }
}
