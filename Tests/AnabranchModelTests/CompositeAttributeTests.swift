import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

/// Tests of composite attributes: their flattened form, the model's checks, and model files.
struct CompositeAttributeTests {
    private static func address(_ name: String = "address", optional: Bool = true)
        -> CompositeAttribute
    {
        CompositeAttribute(name, of: "Address", optional: optional) {
            AttributeDeclaration("street", .string)
            AttributeDeclaration("city", .string, optional: false, default: "Bern", maximum: 40)
            CompositeAttribute("location") {
                AttributeDeclaration("latitude", .double, minimum: -90, maximum: 90)
                AttributeDeclaration("longitude", .double)
            }
        }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                address()
                AttributeDeclaration("zone", .string)
                RelationshipDeclaration("friends", toMany: "Person", inverse: "friends")
                RelationshipDeclaration("boss", to: "Person")
                IndexDeclaration("byCity", on: "address.city")
                UniquenessConstraint("address.location.latitude", "address.location.longitude")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("badge", .integer32)
                CompositeAttribute("work", of: "Address") { elements() }
            }
        }
    }

    @CompositeBuilder private static func elements() -> [CompositeBuilder.Element] {
        let composite = address()
        for attribute in composite.attributes { attribute }
        for element in composite.compositeAttributes { element }
    }

    private static let leaves = [
        "address.city", "address.location.latitude", "address.location.longitude",
        "address.street",
    ]

    @Test func `elements are attributes with slots behind all other ones`() throws {
        let model = try Self.model()
        let person = try model.required("Person")
        #expect(person.slots.map(\.name) == ["name", "zone", "boss", "friends"] + Self.leaves)
        let employee = try model.required("Employee")
        #expect(
            employee.slots.map(\.name)
                == person.slots.map(\.name) + ["badge"]
                + Self.leaves.map { "work" + $0.dropFirst("address".count) })
        #expect(employee.compositeAttributes.map(\.name) == ["address", "work"])
        let address = try #require(employee.compositeAttribute(named: "address"))
        #expect(address === person.compositeAttributes.first && address.entity == person)
        #expect(address.attributes.map(\.name) == Self.leaves)
        #expect(address.attributes.map { address.key(of: $0) }.first == "city")
        let inner = try #require(person.compositeAttribute(named: "address.location"))
        #expect(inner.typeName == "Location" && inner.attributes.count == 2)
        #expect(inner.key(of: inner.attributes[0]) == "latitude")
        #expect(person.compositeAttribute(named: "address.city") == nil)
        #expect(person.property(named: "address") == nil)
    }

    @Test func `all elements merge as one group with wire names that are paths`() throws {
        let person = try Self.model().required("Person")
        let group = try #require(person.attributeGroups.first)
        #expect(group.wireProperty == WireProperty(name: "address", type: .group, rule: .group))
        #expect(group.members.map(\.name.string) == Self.leaves)
        #expect(group.members.map(\.type) == [.string, .double, .double, .string])
        let city = try #require(person.property(named: "address.city")?.attribute)
        #expect(city.group == group && city.defaultValue == "Bern")
        #expect(city.isOptional, "the whole address may be missing")
        #expect(person.indexes.first?.elements.first?.property == .attribute(city))
    }

    @Test func `a mandatory composite attribute keeps what its elements say`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("A") { Self.address(optional: false) }
        }
        let entity = try model.required("A")
        #expect(entity.attributes.map(\.isOptional) == [false, true, true, true])
    }

    @Test func `a renamed composite attribute and element keep their wire names`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("A") {
                CompositeAttribute("home", renamingIdentifier: "address") {
                    AttributeDeclaration("town", .string, renamingIdentifier: "city")
                    AttributeDeclaration("zip", .string)
                }
            }
        }
        let entity = try model.required("A")
        #expect(entity.attributeGroups.map(\.name) == ["address"])
        #expect(
            entity.attributes.map(\.declaration.wireName) == ["address.city", "address.zip"])
        #expect(
            entity.attributes.map(\.declaration.renamingIdentifier)
                == ["address.city", "address.zip"])
    }

    @Test func `a transient composite attribute is no group and is not sent`() throws {
        let entity = try ManagedObjectModel {
            EntityDeclaration("A") {
                CompositeAttribute("draft", transient: true) {
                    AttributeDeclaration("text", .string)
                }
            }
        }.required("A")
        #expect(entity.attributeGroups.isEmpty && entity.attributes.allSatisfy(\.isTransient))
    }

    @Test func `the encoding decodes to an equal model, and is as before without composites`()
        throws
    {
        let model = try Self.model()
        let decoded = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(decoded == model && decoded.declaration == model.declaration)
        #expect(decoded.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test func `an encoding that ends early is refused`() throws {
        let model = try ManagedObjectModel { EntityDeclaration("A") { Self.address() } }
        let header = try ManagedObjectModel(entities: []).canonicalEncoding.count
        for count in model.canonicalEncoding.indices where count != header {
            #expect(throws: ModelError.self, "\(count) bytes") {
                try ManagedObjectModel(
                    canonicalEncoding: Array(model.canonicalEncoding.prefix(count)))
            }
        }
    }

    @Test func `the version hash counts elements, not the names of types`() throws {
        func hash(_ composite: CompositeAttribute) throws -> [UInt8] {
            try ManagedObjectModel(entities: [EntityDeclaration("A") { composite }]).required("A")
                .versionHash
        }
        let plain = try hash(CompositeAttribute("c") { AttributeDeclaration("x", .string) })
        let others = try [
            CompositeAttribute("c") { AttributeDeclaration("x", .uri) },
            CompositeAttribute("c", optional: false) { AttributeDeclaration("x", .string) },
            CompositeAttribute("c") {
                AttributeDeclaration("x", .string)
                AttributeDeclaration("y", .string)
            },
            CompositeAttribute("c", versionHashModifier: "2") {
                AttributeDeclaration("x", .string)
            },
        ].map(hash)
        #expect(!others.contains(plain) && Set(others).count == others.count)
        let named = CompositeAttribute("c", of: "Other", userInfo: ["a": "b"]) {
            AttributeDeclaration("x", .string, default: "d")
        }
        #expect(try hash(named) == plain)
    }

    @Test func `a model file is written and read again as an equal model`() throws {
        let model = try Self.model()
        let text = try model.xcodeModelText()
        let again = try ManagedObjectModel.reading(xml: Data(text.utf8))
        #expect(again.declaration == model.declaration)
        #expect(try again.xcodeModelText() == text)
        #expect(text.components(separatedBy: "<composite ").count == 3)
        #expect(text.contains(#"attributeType="Composite" composite="Address""#))
    }
}

// MARK: Refusals

extension CompositeAttributeTests {
    private func expect(
        _ code: ModelError.Code, at property: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        @EntityBuilder _ content: () -> [EntityBuilder.Element]
    ) {
        let error = #expect(throws: ModelError.self, sourceLocation: sourceLocation) {
            try ManagedObjectModel(entities: [EntityDeclaration("A", content)])
        }
        let found = error?.all.contains { $0.code == code && $0.property == property }
        #expect(found == true, "\(error?.all ?? [])", sourceLocation: sourceLocation)
        #expect(error?.all.count == 1, "\(error?.all ?? [])", sourceLocation: sourceLocation)
    }

    @Test func `names that clash are refused`() {
        expect(.duplicateName, at: "c") {
            AttributeDeclaration("c", .string, wireName: "d")
            CompositeAttribute("c") { AttributeDeclaration("x", .string) }
        }
        expect(.duplicateName, at: "c.x") {
            CompositeAttribute("c") {
                AttributeDeclaration("x", .string)
                CompositeAttribute("x") { AttributeDeclaration("y", .string) }
            }
        }
        expect(.duplicateName, at: "c.x") {
            CompositeAttribute("c") {
                AttributeDeclaration("x", .string)
                AttributeDeclaration("x", .string)
            }
        }
        expect(.invalidName, at: "c.x.y") {
            CompositeAttribute("c") { AttributeDeclaration("x.y", .string) }
        }
        expect(.invalidName, at: "a.b") { AttributeDeclaration("a.b", .string) }
        expect(.duplicateName, at: "d") {
            CompositeAttribute("c", of: "T") { AttributeDeclaration("x", .string) }
            CompositeAttribute("d", of: "T") { AttributeDeclaration("y", .string) }
        }
    }

    @Test func `what no group can have is refused at the element`() {
        expect(.invalidProperty, at: "c") { CompositeAttribute("c") }
        expect(.invalidProperty, at: "c.n") {
            CompositeAttribute("c") { AttributeDeclaration("n", .integer64, mergeRule: .counter) }
        }
        expect(.invalidProperty, at: "c.x") {
            CompositeAttribute("c") {
                AttributeDeclaration("x", .string, transient: true)
                AttributeDeclaration("y", .string)
            }
        }
        expect(.invalidProperty, at: "c.x") {
            CompositeAttribute("c") { AttributeDeclaration("x", .string) }
            AttributeGroup("g", "c.x")
        }
        expect(.invalidProperty, at: "c") {
            CompositeAttribute("c") { AttributeDeclaration("x", .string) }
            AttributeGroup("g", "c")
        }
        expect(.invalidValue, at: "c.x") {
            CompositeAttribute("c") { AttributeDeclaration("x", .integer16, default: 70000) }
        }
    }

    @Test func `composite attributes too deep inside each other are refused`() {
        var composite = CompositeAttribute("c") { AttributeDeclaration("x", .string) }
        for _ in 0..<16 { composite = CompositeAttribute("c") { composite } }
        let deep = composite
        expect(.limitExceeded, at: "c") { deep }
    }

    private func refusal(_ attribute: String, _ composites: String) throws -> ModelError {
        let text = """
            <?xml version="1.0"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="A">\(attribute)</entity>
            \(composites)
            </model>
            """
        return try #require(
            throws: ModelError.self
        ) { try ManagedObjectModel.reading(xml: Data(text.utf8)) }
    }

    @Test(
        arguments: [
            ("", "c", .unknownProperty),
            (#"<composite name="T"/>"#, "c", .invalidProperty),
            (
                """
                <composite name="T"><relationship name="r"/>
                <attribute name="x" attributeType="String"/></composite>
                """, "c", .invalidProperty
            ),
            (
                """
                <composite name="T">
                <attribute name="x" attributeType="Composite" composite="U"/></composite>
                <composite name="U">
                <attribute name="y" attributeType="Composite" composite="T"/></composite>
                """, "c.x.y", .inheritanceCycle
            ),
            (
                #"<composite name="T"><attribute name="x" attributeType="Rational"/></composite>"#,
                "x", .invalidProperty
            ),
            (
                """
                <composite name="T">
                <attribute name="x" attributeType="String" optional="maybe"/></composite>
                """, "x", .invalidValue
            ),
        ] as [(String, String, ModelError.Code)])
    func `a composite of a model file that can't be used is refused with its line`(
        composites: String, property: String, code: ModelError.Code
    ) throws {
        let error = try refusal(
            #"<attribute name="c" optional="YES" attributeType="Composite" composite="T"/>"#,
            composites)
        #expect(error.all.map(\.code) == [code], "\(error.all)")
        #expect(error.property == property && error.line != nil)
    }

    @Test func `composites that contain each other many times over are refused quickly`() throws {
        let count = 12
        let composites = (0..<count).map { level in
            let elements = (0..<10).map {
                #"<attribute name="x\#($0)" attributeType="Composite" composite="T\#(level + 1)"/>"#
            }
            return #"<composite name="T\#(level)">\#(elements.joined())</composite>"#
        }
        let last =
            #"<composite name="T\#(count)"><attribute name="y" attributeType="String"/>"#
            + "</composite>"
        let error = try refusal(
            #"<attribute name="c" attributeType="Composite" composite="T0"/>"#,
            composites.joined() + last)
        #expect(error.all.contains { $0.code == .limitExceeded })
    }

    @Test func `a composite that no attribute uses is left out with a warning`() throws {
        let text = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="A"><attribute name="x" attributeType="String"/></entity>
            <composite name="T"><attribute name="x" attributeType="String"/></composite></model>
            """
        let model = try ManagedObjectModel.reading(xml: Data(text.utf8))
        #expect(model.warnings.contains { $0.code == .ignored && $0.message.contains("T") })
    }
}

// MARK: Migration

extension CompositeAttributeTests {
    private func differences(
        _ old: [CompositeAttribute], _ new: [CompositeAttribute]
    ) throws -> (changes: [String], problems: [String]) {
        func model(_ composites: [CompositeAttribute]) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                EntityDeclaration("A") {
                    AttributeDeclaration("name", .string)
                    for composite in composites { composite }
                }
            }
        }
        let differences = ModelDifferences(from: try model(old), to: try model(new))
        return (
            differences.changes.map(\.description), differences.refusals.map { $0.property ?? "" }
        )
    }

    @Test func `an added, renamed and removed element is such a property`() throws {
        let old = CompositeAttribute("c") {
            AttributeDeclaration("x", .string)
            AttributeDeclaration("y", .string)
        }
        let new = CompositeAttribute("c") {
            AttributeDeclaration("x", .string)
            AttributeDeclaration("z", .string, renamingIdentifier: "y")
            AttributeDeclaration("w", .string, optional: false)
        }
        let found = try differences([old], [new])
        #expect(Set(found.changes) == ["A.c.w added", "A.c.y renamed to c.z"])
        #expect(found.problems == [], "a mandatory element of an optional composite attribute")
    }

    @Test func `a composite attribute becomes mandatory only with a default`() throws {
        let old = CompositeAttribute("c") { AttributeDeclaration("x", .string) }
        var new = old
        new.isOptional = false
        #expect(try differences([old], [new]).problems == ["c"])
        #expect(try differences([old], [new]).changes == ["A.c made mandatory"])
        #expect(try differences([], [new]).problems == ["c"])
        new.attributes[0].defaultValue = "d"
        #expect(try differences([old], [new]).problems == [])
        #expect(try differences([new], [old]).changes == ["A.c made optional"])
    }
}
