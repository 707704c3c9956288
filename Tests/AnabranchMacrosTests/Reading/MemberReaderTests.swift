import TestSupport
import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The reader of members` {
    private func read(_ body: String) -> [PropertyDeclaration] {
        var reader = MemberReader(SwiftLexer.code(of: body))
        return reader.readAll()
    }

    private func names(_ body: String) -> [String] { read(body).map { $0.name?.text ?? "(…)" } }

    @Test func `finds every property among other members`() {
        let body = """
            // var comment: Int
            @available(macOS 15, *) public private(set) var a: Int64
            func f(_ var1: Int) -> some Sequence<Int> where Int: Equatable { var inner = 3 }
            var b: [String: (Int) -> Void]? = [:]; let c: Int
            struct Nested { var inside: Int }
            enum Case: Int { case one, two; var inside: Int { 3 } }
            class Inner: Nested { var inside: Int }
            class var d: Int { 3 }
            class final func g() {}
            init() { let inside = 3 }
            deinit { print("}") }
            subscript(i: Int) -> Int { get { 3 } set { var inside = 4 } }
            typealias F = Array<Int>
            @Mark @Module.Other<Int>("{", x: ")") var e: Int
            static let f2 = { var inside = 3; return inside }()
            #warning("var no: Int")
            lazy var g = [1, 2]
                .map { $0 + 1 }
                .filter { var x = $0; x += 1; return x > 3 }
            var h: Int { didSet { var inside = 3 } }
            var i: (Int, Int) -> Int = { $0 +
                $1 }
            var `class`: Int
            var größe: Int
            func noBody()
            private
            final
            var j: Int
            """
        #expect(
            names(body) == [
                "a", "b", "c", "d", "e", "f2", "g", "h", "i", "class", "größe", "j",
            ])
    }

    @Test func `reports what is declared of a property`() throws {
        let properties = read(
            """
            @A(1) @B private(set) weak var a: Int?
            let b = 3, c: Int
            var (d, e): (Int, Int)
            var f, g: Int
            var h: Int { 3 }
            var i: Int { @X get { 3 } }
            var j: Int = 3 { willSet {} }
            var k: Int { @X(2) didSet {} }
            var l
            """)
        try #require(properties.count == 9)
        #expect(properties[0].attributes.map(\.name) == ["A", "B"])
        #expect(properties[0].attributes[0].arguments.map(\.text) == ["1"])
        #expect(properties[0].modifiers.map(\.name) == ["private", "weak"])
        #expect(!properties[0].has(modifier: "private") && properties[0].has(modifier: "weak"))
        #expect(properties[1].isConstant && properties[1].hasInitialValue)
        #expect(properties[2].name == nil)
        #expect(properties[3].isList)
        #expect(
            properties.map(\.accessors).suffix(5) == [
                .computed, .computed, .observers, .observers, .none,
            ])
        #expect(properties[6].hasInitialValue)
        #expect(properties[8].type == nil)
    }

    @Test(arguments: [
        ("= 3", "3"), ("= .calm // so far\n", ".calm"), ("= [1, 2]\n    .count", "[1,2].count"),
        ("= { 3 }(); var y: Int", "{3}()"), ("= 3 { didSet {} }", "3"), ("= a, b: Int", "a"),
        ("= A<B, C>(d: e, f: g)", "A<B,C>(d:e,f:g)"),
        ("= \"\"\"\n  a\n  \"\"\"", "\"\"\"\n  a\n  \"\"\""),
        ("= x { $0 }\n#Unique<A>([])", "x{$0}"), ("= 3 +\n  4\n@A var y: Int", "3+4"), ("", ""),
    ])
    func `ends an initial value where it ends`(source: String, text: String) throws {
        let property = try #require(read("var x: Int \(source)\nvar z: Int").first)
        #expect(property.initialValue.map(\.text).joined() == text)
        #expect(read("var x: Int \(source)\nvar z: Int").last?.name?.text == "z")
    }

    @Test func `finds the freestanding macros among the members`() {
        var reader = MemberReader(
            SwiftLexer.code(
                of: """
                    #Unique<A>([\\.a], [\\.b, \\.c])
                    var a: Int = 3
                    #Module.Index<B<C>>([\\.a])
                    #if X
                    #warning("x"); #plain
                    #endif
                    func f() { #Hidden(1) }
                    """))
        #expect(reader.readAll().map(\.name?.text) == ["a"])
        #expect(reader.macros.map(\.name) == ["Unique", "Index", "warning", "plain"])
        #expect(reader.macros.map(\.isConditional) == [false, false, true, true])
        #expect(reader.macros.map(\.arguments.arguments.count) == [2, 1, 1, 0])
        let keyPaths = reader.macros[0].arguments.arguments[1].value.listElements
        #expect(keyPaths?.map(\.keyPathName) == ["b", "c"])
    }

    @Test(arguments: [
        ("\\.a", "a"), ("\\A.b", "b"), ("\\A.B.`in`", "in"), ("\\A.b?.c", nil), ("\\.a.b", nil),
        ("\\A.b.self[0]", nil), ("A.b", nil), ("\\A", nil), ("\\", nil), ("path", nil),
        ("\\.", nil),
    ])
    func `takes the last name of a key path`(source: String, name: String?) {
        #expect(SwiftLexer.code(of: source).arguments.first?.keyPathName == name)
    }

    @Test func `reports what depends on the build`() {
        let properties = read(
            """
            var a: Int
            #if os(Linux) && !DEBUG
            var b: Int
            #if X
            #elseif Y
            var c: Int
            #endif
            var d: Int
            #else
            var e: Int
            #endif
            var f: Int
            """)
        #expect(properties.map(\.isConditional) == [false, true, true, true, true, false])
    }

    @Test(arguments: [
        ("Int64", "Int64"), ("Swift . String?", "Swift.String?"),
        ("Optional< Set<Int> >", "Optional<Set<Int>>"), ("[Int : String]", "[Int: String]"),
        (
            "@Sendable (Int,Int) async throws(E) -> [A]?",
            "@Sendable(Int, Int) async throws(E) -> [A]?"
        ),
        ("any A&B", "any A & B"), ("Outer<Int>.Inner<[A]>?", "Outer<Int>.Inner<[A]>?"),
        ("(A, B)", "(A, B)"), ("`in`?", "`in`?"), ("A!", "A!"), ("~Copyable", "~Copyable"),
        ("InlineArray<3, Int>", "InlineArray<3, Int>"), ("A/* x */?", "A"),
    ])
    func `ends a type where it ends`(source: String, text: String) throws {
        for rest in ["", " = 3", "\n", " { 3 }", "; var y: Int"] {
            let property = try #require(read("var x: \(source)\(rest)\nvar z: Int").first)
            #expect(property.type?.text == text)
        }
    }

    @Test(arguments: [
        "var", "var x:", "var x: ", "let", "@", "@A(", "var x: Set<", "var x: (", "}", "{", ")",
        "#if", "#", "class", "class var", "public", "func", "var x = ", ";;", "var x: @", "= = =",
        "var x: ~", "var x: &", "var x: A.", "case a, b", "private(", "@A.", "@A<",
    ])
    func `reads what does not compile to its end`(body: String) {
        _ = read(body)
        _ = TypeDeclaration(source: body)
        _ = TypeDeclaration(source: "class X: ManagedObject {" + body)
        _ = TypeDeclaration(source: "class X<\(body): {")
    }

    /// Pieces of source for everything that opens, closes or begins a construct.
    private static let pieces = [
        "var", "let", "x", ":", "Int", "?", "=", "{", "}", "(", ")", "[", "]", "<", ">", ",", "@",
        "A", "\"", "\\(", "/", "*", "#if", "#endif", "\n", ";", "->", "class", ".", "func", "`",
        "#", "&", "~", "static", "\"\"\"", "//", "é", "some", "!",
    ]

    @Test(arguments: TestLength.seeds(200))
    func `reads any heap of tokens to its end`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let words = (0..<30).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }
            let body = words.joined(separator: Bool.random(using: &generator) ? " " : "")
            let properties = read(body)
            #expect(properties.allSatisfy { $0.offset < body.utf8.count })
            _ = EntityMacro.members(of: "class X: ManagedObject {\(body)}", attribute: "@Entity")
            _ = EntityMacro.attribute(ofMember: body, in: "class X: Y {\(body)}")
            _ = EntityMark.check("Attribute", on: body, in: [body])
            _ = EntityMacro.members(of: "class X: Y {}", attribute: "@Entity(\(body))")
            _ = EntityMacro.members(
                of: "class X: Y { #Index(\(body)); @Relationship(inverse: \(body)) var x: A? }",
                attribute: "@Entity")
            _ = EntitySlotMacro.accessors(attribute: "@_EntitySlot(\(body))")
        }
    }
}
