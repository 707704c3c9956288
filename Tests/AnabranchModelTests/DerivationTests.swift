import AnabranchModel
import AnabranchReplication
import Testing

@Suite struct `Derived attributes of a model` {
    private func model(
        _ type: AttributeType, _ expression: String,
        _ change: (inout AttributeDeclaration) -> Void = { _ in }
    ) throws(ModelError) -> ManagedObjectModel {
        var derived = AttributeDeclaration("d", type, derivation: expression)
        change(&derived)
        return try ManagedObjectModel(entities: [
            EntityDeclaration("Writer") {
                AttributeDeclaration("age", .integer16)
                AttributeDeclaration("born", .date)
                AttributeDeclaration("fee", .decimal)
                AttributeDeclaration("mood", .string, transient: true)
                AttributeDeclaration("name", .string)
                AttributeDeclaration("other", .string, derivation: "uppercase:(name)")
                AttributeDeclaration("weight", .float)
                RelationshipDeclaration("boss", to: "Writer", inverse: "staff")
                RelationshipDeclaration("staff", toMany: "Writer", inverse: "boss")
                RelationshipDeclaration("house", to: "Writer")
                RelationshipDeclaration("friends", toMany: "Writer", inverse: "friends")
                derived
            }
        ])
    }

    @Test(
        arguments: [
            (.date, "now()"), (.string, "name"), (.date, "boss.born"),
            (.string, "boss.boss.name"), (.string, "canonical:(name)"),
            (.string, " lowercase:( boss.name ) "), (.string, "uppercase:(name)"),
            (.integer16, "staff.@count"), (.integer64, "friends.@count"),
            (.integer64, "staff.age.@sum"), (.double, "staff.weight.@sum"),
            (.decimal, "staff.fee.@sum"),
        ] as [(AttributeType, String)])
    func `every form that fits is taken as it is written`(
        type: AttributeType, expression: String
    ) throws {
        let model = try model(type, expression)
        let writer = try #require(model.entity(named: "Writer"))
        let attribute = try #require(writer.property(named: "d")?.attribute)
        #expect(attribute.isDerived && attribute.derivationExpression == expression)
        #expect(writer.property(wireName: "d") == nil)
        let decoded = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(decoded.declaration == model.declaration)
    }

    @Test func `a model without any keeps its bytes`() throws {
        let plain = try ManagedObjectModel {
            EntityDeclaration("A") { AttributeDeclaration("name", .string) }
        }
        let derived = try ManagedObjectModel {
            EntityDeclaration("A") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("upper", .string, derivation: "uppercase:(name)")
            }
        }
        #expect(plain.canonicalEncoding.count < derived.canonicalEncoding.count)
        #expect(!(plain.entities[0].attributes[0].isDerived))
        #expect(plain.entities[0].attributes[0].derivationExpression == nil)
    }

    @Test(
        arguments: [
            (.string, "", "no expression"), (.string, "now()", "now() is a date"),
            (.string, "nobody", "no property 'nobody'"), (.string, "boss.nobody", "'nobody'"),
            (.integer16, "name", "of type string"), (.string, "boss", "is a relationship"),
            (.string, "staff.name", "to-many"), (.string, "house.name", "no inverse"),
            (.string, "mood", "transient"), (.string, "other", "derived itself"),
            (.string, "name.age", "no relationship"), (.integer64, "boss.@count", "to-one"),
            (.string, "staff.@count", "a count is an integer"),
            (.integer64, "staff.weight.@sum", "of type float"),
            (.double, "staff.age.@avg", "can't be computed"),
            (.integer16, "staff.age.@max", "can't be computed"),
            (.integer16, "boss.staff.@count", "can't be computed"),
            (.date, "canonical:(born)", "makes a string of a string"),
            (.string, "capitalized:(name)", "can't be read"),
            (.string, "canonical:(uppercase:(name))", "can't be read"),
            (.date, "now(1)", "can't be read"), (.transformable, "name", "transformable"),
        ] as [(AttributeType, String, String)])
    func `the error quotes an expression that is not supported or does not fit`(
        type: AttributeType, expression: String, cause: String
    ) throws {
        let error = #expect(throws: ModelError.self) { _ = try model(type, expression) }
        #expect(error?.code == .invalidDerivation)
        #expect(error?.entity == "Writer" && error?.property == "d")
        #expect(error?.message.contains("'\(expression)'") == true)
        #expect(error?.message.contains(cause) == true)
        #expect(error?.all.count == 1)
    }

    @Test func `it has nothing that is for values that the app sets`() throws {
        let changes: [(inout AttributeDeclaration) -> Void] = [
            { $0.isTransient = true }, { $0.defaultValue = .string("x") },
            { $0.minimum = .integer(1) }, { $0.regularExpression = "a" },
            { $0.validations = [ValidationRule("SELF != 'a'")] }, { $0.mergeRule = .keepBoth },
        ]
        for change in changes {
            let error = #expect(throws: ModelError.self) {
                _ = try model(.string, "name", change)
            }
            #expect(error?.code == .invalidDerivation && error?.property == "d")
        }
    }

    @Test func `it is in no constraint, index or group, as it is not stored`() throws {
        func refusal(_ change: (inout EntityDeclaration) -> Void) -> ModelError? {
            var entity = EntityDeclaration("A") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("upper", .string, derivation: "uppercase:(name)")
            }
            change(&entity)
            return #expect(throws: ModelError.self) {
                _ = try ManagedObjectModel(entities: [entity])
            }
        }
        let refusals = [
            refusal { $0.uniquenessConstraints = [UniquenessConstraint(attributes: ["upper"])] },
            refusal {
                $0.indexes = [IndexDeclaration("i", elements: [IndexDeclaration.Element("upper")])]
            },
            refusal { $0.attributeGroups = [AttributeGroup("g", "name", "upper")] },
        ]
        for refusal in refusals {
            #expect(refusal?.code == .invalidProperty && refusal?.property == "upper")
            #expect(refusal?.message.contains("derived") == true)
        }
    }

    @Test func `an attribute of a model file is read with its expression`() throws {
        let model = try ManagedObjectModel.reading(
            xml: XcodeModelText.model(
                """
                <entity name="A">
                <attribute name="count" optional="YES" attributeType="Integer 64" \
                defaultValueString="0" derived="YES" derivationExpression="items.@count"/>
                <relationship name="items" toMany="YES" destinationEntity="A" \
                inverseName="owner" inverseEntity="A"/>
                <relationship name="owner" optional="YES" maxCount="1" destinationEntity="A" \
                inverseName="items" inverseEntity="A"/>
                <fetchIndex name="byCount"><fetchIndexElement property="count" type="Binary" \
                order="ascending"/></fetchIndex>
                </entity>
                """), file: "contents")
        let attribute = try #require(model.entity(named: "A")?.attributes.first)
        #expect(attribute.derivationExpression == "items.@count")
        #expect(attribute.defaultValue == .null)
        #expect(model.warnings.map(\.property) == ["count", "count"])
    }
}
