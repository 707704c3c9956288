import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The expansion of @Entity` {
    private func members(_ source: String, attribute: String = "@Entity") -> Expansion {
        EntityMacro.members(of: source, attribute: attribute)
    }

    private func attributes(_ members: [String], in parent: String) -> [String] {
        members.map { EntityMacro.attribute(ofMember: $0, in: parent).source }
    }

    @Test func `names the slots in the order of the model`() {
        let expansion = members(
            """
            @Entity
            final class Person: ManagedObject {
                var staff: ManagedObjectSet<Person>
                var z: Int64
                var Z: Swift.String?
                var boss: Person?
                var `in`: Bool
                var é: Foundation.Date?
                @Attribute var mood: Mood?
                @Transformable var dye: Dye?
                @Transformable var tags: [String: Set<Int>]?
                @Relationship var data: Data?
                var fans: Anabranch.ManagedObjectSet<Person>
                var row: ManagedObjectList<Person>
                var aide: Optional<Person>
            }
            """)
        #expect(expansion.diagnostics.isEmpty)
        #expect(
            expansion.source.hasPrefix(
                """
                nonisolated override class var entityName: String { "Person" }

                nonisolated override class var slotNames: [String] {
                    ["Z", "dye", "in", "mood", "tags", "z", "é", "aide", "boss", \
                "data", "fans", "row", "staff"]
                }

                nonisolated override class var entityDeclaration: Anabranch.ClassDeclaration? {

                """))
    }

    @Test func `declares fetched properties, which are no slots`() {
        let source = """
            @Entity
            final class Person: ManagedObject {
                var name: String?
                @FetchedProperty("name == $FETCH_SOURCE.name", fetchLimit: 3) var same: [Person]
                @FetchedProperty var all: [Staff.Person]
            }
            """
        let expansion = members(source)
        #expect(expansion.diagnostics.isEmpty)
        #expect(expansion.source.contains(#"{\n    ["name"]\n}"#.replacing(#"\n"#, with: "\n")))
        #expect(
            expansion.source.contains(
                #"_entity.fetched("same", Person.self, "name == $FETCH_SOURCE.name", "#
                    + "fetchLimit: 3)"))
        #expect(expansion.source.contains(#"_entity.fetched("all", Staff.Person.self)"#))
        let property = "@FetchedProperty var all: [Staff.Person]"
        #expect(attributes([property], in: source) == [""])
        let accessor = FetchedPropertyMacro.accessors(
            of: property, in: ["@Entity final class Person: ManagedObject {}"])
        #expect(accessor.source == "{\n    get { self[fetched: \"all\"] }\n}")
        let alone = FetchedPropertyMacro.accessors(of: property, in: ["class Person {}"])
        #expect(alone.attributeComplaints.count == 1)
        let wrong = members(
            """
            @Entity
            final class Person: ManagedObject {
                @FetchedProperty var boss: Person?
            }
            """)
        #expect(wrong.diagnostics.first?.message.contains("write 'var boss: [Note]'") == true)
    }

    @Test func `declares the entity with what the marks and initial values say`() {
        let expansion = members(
            #"""
            @Entity("Human", isAbstract: true, wireName: "p")
            public class Person: ManagedObject {
                #Unique<Person>([\.name, \Person.age], [\.mail],)
                #Index<Person>([\.age])
                @Attribute(.unique, originalName: "title",) var name: String? = "a\(b)"
                var age: Int64 = { 1 + 2 }()  // years
                @Attribute(
                    .transient,  // not stored
                    userInfo: ["a": "b, c"]
                ) var mood: Mood? = .calm
                @Transformable(by: "T") @Attribute(.externalStorage) var dye: Dye?
                @Transformable var tags: [Tag]?
                @Relationship(deleteRule: .cascade, inverse: \Outer.Note.`in`, hashModifier: "1")
                var notes: ManagedObjectSet<Outer.Note>
                @Relationship(inverse: "friends") var friends: ManagedObjectList<Person>
                @Relationship(optional: false, inverse: nil) var boss: Person?
                var aide: Optional<Person>
            }
            """#, attribute: #"@Entity("Human", isAbstract: true, wireName: "p")"#)
        #expect(expansion.diagnostics.isEmpty)
        #expect(
            expansion.source.hasSuffix(
                #"""

                nonisolated public override class var entityDeclaration: \#
                Anabranch.ClassDeclaration? {
                    var _entity = Anabranch.ClassDeclaration(of: Person.self, isAbstract: true, \#
                wireName: "p")
                    _entity.attribute("age", Int64.self, initially: { { 1 + 2 }() })
                    _entity.transformable("dye", by: "T", Anabranch.AttributeSettings(\#
                .externalStorage))
                    _entity.attribute("mood", Mood?.self, Anabranch.AttributeSettings(\#
                .transient,  // not stored
                        userInfo: ["a": "b, c"]), initially: { .calm })
                    _entity.attribute("name", String?.self, Anabranch.AttributeSettings(.unique, \#
                originalName: "title"), initially: { "a\(b)" })
                    _entity.transformable("tags")
                    _entity.toOne("aide", Person.self)
                    _entity.toOne("boss", Person.self, Anabranch.RelationshipSettings(\#
                optional: false, inverse: .nothing))
                    _entity.toList("friends", Person.self, Anabranch.RelationshipSettings(\#
                inverse: .property("friends")))
                    _entity.toMany("notes", Outer.Note.self, Anabranch.RelationshipSettings(\#
                deleteRule: .cascade, inverse: .property("in", of: Outer.Note.self), \#
                hashModifier: "1"))
                    _entity.unique(["name", "age"])
                    _entity.unique(["mail"])
                    _entity.index(["age"])
                    return _entity
                }

                nonisolated public required init(_ birth: ObjectInitialization) { \#
                super.init(birth) }
                """#))
    }

    @Test func `gives each slot its place and leaves the rest alone`() {
        let list = [
            "\n /// Its age. \n public var age: Int64", "var boss: Person?", "let unit = 3",
            "@Transient var calls = 0", "static var all: Int64", "var label: String { \"\" }",
            "var friends: ManagedObjectSet<Person>", "lazy var x: Int = 3", "func age() {}",
            "var line: Anabranch.ManagedObjectList<Person>",
            "struct Inner { var age: Int64 }", "@Transient var cache: Cache?",
            "@Transformable var colour: Dye?",
        ]
        let parent = "class Person: ManagedObject {\n\(list.joined(separator: "\n"))\n}"
        #expect(
            attributes(list, in: parent) == [
                "@_EntitySlot(slot: 0)", "@_EntitySlot(toOne: 2)", "", "", "", "",
                "@_EntitySlot(toMany: 3)", "", "", "@_EntitySlot(list: 4)", "", "",
                "@_EntitySlot(transformable: 1)",
            ])
        #expect(members(parent).diagnostics.isEmpty)
    }

    @Test func `counts from the slots of the class above`() {
        let source = "@Entity class `Engineer`: Outer.Person { var b: Int; var a: Outer.Person? }"
        #expect(
            members(source).source.hasPrefix(
                """
                nonisolated override class var entityName: String { "Engineer" }

                nonisolated override class var slotNames: [String] {
                    super.slotNames + ["b", "a"]
                }

                nonisolated private static let _firstOwnSlot = `Engineer`.slotNames.count - 2

                """))
        #expect(
            attributes(["var b: Int", "var a: Outer.Person?"], in: source) == [
                "@_EntitySlot(slot: 0, isBelowEntity: true)",
                "@_EntitySlot(toOne: 1, isBelowEntity: true)",
            ])
        #expect(!members("class E: Person {}").source.contains("_firstOwnSlot"))
    }

    @Test func `writes accessors over the subscripts of slots`() {
        #expect(
            EntitySlotMacro.accessors(attribute: "@_EntitySlot(slot: 12)").source == """
                {
                    get { self[slot: 12] }
                    set { self[slot: 12] = newValue }
                }
                """)
        #expect(
            EntitySlotMacro.accessors(
                attribute: "\n@Anabranch._EntitySlot(toOne: 0, isBelowEntity: true)"
            ).source == """
                {
                    get { self[toOne: Self._firstOwnSlot + 0] }
                    set { self[toOne: Self._firstOwnSlot + 0] = newValue }
                }
                """)
        #expect(
            EntitySlotMacro.accessors(attribute: "@_EntitySlot(toMany: 3)").source == """
                {
                    get { self[toMany: 3] }
                }
                """)
        #expect(
            EntitySlotMacro.accessors(attribute: "@_EntitySlot").attributeComplaints.count == 1)
    }

    @Test(arguments: [
        ("public final", "public "), ("open", "open "), ("package", "package "), ("final", ""),
        ("internal", ""), ("fileprivate", ""),
    ])
    func `repeats the access of the class`(modifiers: String, access: String) {
        let source = members("\(modifiers) class A: ManagedObject { var x: Int }").source
        #expect(source.hasPrefix("nonisolated \(access)override class var entityName"))
        #expect(source.contains("\nnonisolated \(access)override class var slotNames"))
    }

    @Test(arguments: [
        ("@Entity(\"Human\")", "Human"), ("\n// (\"X\")\n@Entity( \"Ä b\" ) ", "Ä b"),
        ("@Anabranch.Entity(\"Human\")", "Human"), ("@Entity", "A"), ("@Entity()", "A"),
        ("@Entity(\"Human\", isAbstract: true)", "Human"), ("@Entity(isAbstract: true)", "A"),
    ])
    func `takes the name of the entity`(attribute: String, name: String) {
        let source = members("class A: ManagedObject {}", attribute: attribute).source
        let start = "nonisolated override class var entityName"
        #expect(source.hasPrefix("\(start): String { \"\(name)\" }"))
    }

    @Test(arguments: [
        "@Entity(\"A\\(b)\")", "@Entity(name)", "@Entity(\"\")", "@Entity(\"a\" + \"b\")",
        "@Entity(#\"a\"#)", "@Entity(\"a\\u{62}\")", "@Entity(\"A\", \"B\")",
    ])
    func `refuses a name that it can't read`(attribute: String) {
        let expansion = members("class A: ManagedObject {}", attribute: attribute)
        #expect(expansion.source.isEmpty)
        #expect(expansion.attributeComplaints.map(\.offset) == [attribute.contains(",") ? 13 : 8])
    }

    @Test func `writes names into literals`() {
        let source = members(#"class A: ManagedObject { var `a "b"`: Int }"#).source
        #expect(source.contains(#"["a \"b\""]"#))
    }
}
