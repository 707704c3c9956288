import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The macro @Composite` {
    @Test func `makes a struct the type of composite attributes`() {
        let source = """
            @Composite public struct Address {
                static let none = 3
                public var city: String? = "Bern"
                @Attribute(maximum: 9) let `in`: Bool
                var line: String { "" }
                @Transient var cache: Int = 1
            }
            """
        let members = CompositeMacro.members(of: source)
        #expect(members.diagnostics == [])
        #expect(
            members.source == """
                public static var compositeDeclaration: Anabranch.CompositeDeclaration {
                    var _composite = Anabranch.CompositeDeclaration(of: Address.self)
                    _composite.element("city", String?.self, initially: { "Bern" })
                    _composite.element("in", Bool.self, Anabranch.AttributeSettings(maximum: 9))
                    return _composite
                }
                """)
        #expect(
            CompositeMacro.extension(of: source, named: "Outer.Address").source == """
                extension Outer.Address: Anabranch.CompositeValue {
                    public init(elements: Anabranch.CompositeElements) {
                        self.`city` = elements["city"]
                        self.`in` = elements["in"]
                    }

                    public func write(to elements: inout Anabranch.CompositeElements) {
                        elements["city"] = self.`city`
                        elements["in"] = self.`in`
                    }
                }
                """)
    }

    @Test(arguments: [
        ("var a, b: Int", "a", "one a line"),
        ("var a = 3", "a", "write 'var a: ' with its type"),
        ("var a: ManagedObjectSet<A>", "a", "move 'a' to the class of the entity"),
        ("@Relationship var a: A?", "a", "has no relationships"),
        ("@Transformable var a: A?", "a", "stored as it is"),
        ("#if DEBUG\nvar a: Int\n#endif", "a", "out of #if"),
        ("var a: [Int]", "[", "'[Int]' can't be stored"),
        ("@Attribute(.unique) var a: Int", ".", "no 'unique'"),
        ("@Attribute(maximum: 1, mergeRule: .max) var a: Int", "mergeRule", "no 'mergeRule'"),
    ])
    func `refuses what is no element, at its place`(
        member: String, word: String, message: String
    ) throws {
        let source = "/// Ü\nstruct X {\n    var ä: Int64\n\(member)\n}"
        let expansion = CompositeMacro.members(of: source)
        try #require(expansion.diagnostics.count == 1)
        let rest = source.utf8.dropFirst(expansion.diagnostics[0].offset)
        #expect(SwiftLexer.code(of: String(decoding: rest, as: UTF8.self)).first?.text == word)
        #expect(expansion.diagnostics[0].message.contains(message))
        #expect(CompositeMacro.extension(of: source, named: nil).source == "")
    }

    @Test(arguments: [
        ("class X {}", "write 'struct X'"), ("enum X {}", "write 'struct X'"),
        ("struct X<T> {}", "can't be generic"), ("func f() {}", "before 'struct'"),
    ])
    func `refuses what is no struct`(source: String, message: String) {
        let expansion = CompositeMacro.members(of: source)
        #expect(expansion.diagnostics.first?.message.contains(message) == true)
    }

    @Test func `gives a class the slots of the elements behind its own`() {
        let source = """
            class B: A {
                @Attribute(.composite) var address: Address?
                var b: Int
                @Attribute(.composite) var zone: Zone
                var c: C?
            }
            """
        let members = EntityMacro.members(of: source, attribute: "@Entity").source
        let elements = [
            #"Address.elementNames(in: "address")"#, #"Zone.elementNames(in: "zone")"#,
        ]
        #expect(
            members.contains(
                #"super.slotNames + ["b", "c"] + "# + elements.joined(separator: " + ")))
        #expect(
            members.contains(
                "B.slotNames.count - 2 - "
                    + elements.map { $0 + ".count" }
                    .joined(separator: " - ")))
        #expect(members.contains(#"_entity.composite("zone", Zone.self, "#))
        let attribute = EntityMacro.attribute(
            ofMember: "@Attribute(.composite) var address: Address?", in: source
        ).source
        #expect(attribute == #"@_EntitySlot(composite: "address")"#)
        #expect(
            EntitySlotMacro.accessors(attribute: attribute).source == """
                {
                    get { self[composite: "address"] }
                    set { self[composite: "address"] = newValue }
                }
                """)
        #expect(
            EntityMacro.attribute(ofMember: "var c: C?", in: source).source
                == "@_EntitySlot(toOne: 1, isBelowEntity: true)")
    }
}
