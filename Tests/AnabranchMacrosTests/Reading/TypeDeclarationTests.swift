import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The reader of types` {
    @Test func `reads the head of a class`() throws {
        let type = try #require(
            TypeDeclaration(
                source: """
                    /// { A person. }
                    @available(*, deprecated, message: "{") @Entity("Human")
                    @MainActor public final class Person<T>: Outer<[Int]>.Base, @unchecked Sendable
                    where T: Equatable { var a: Int }
                    """))
        #expect(type.attributes.map(\.name) == ["available", "Entity", "MainActor"])
        #expect(type.modifiers.map(\.name) == ["public", "final"])
        #expect(type.introducer.text == "class" && type.name.text == "Person")
        #expect(type.isGeneric)
        #expect(type.inherited.map(\.text) == ["Outer<[Int]>.Base", "@unchecked Sendable"])
        #expect(type.properties.map(\.name?.text) == ["a"])
    }

    @Test(arguments: ["", "func f() {}", "var x: Int", "class", "class {", "@Entity", "import X"])
    func `finds no type where there is none`(source: String) {
        #expect(TypeDeclaration(source: source) == nil)
    }

    @Test(arguments: [
        ("struct S {}", "struct"), ("indirect enum E { case a }", "enum"),
        ("distributed actor A {}", "actor"), ("extension E: P {}", "extension"),
        ("protocol P: AnyObject {}", "protocol"), ("class C", "class"),
    ])
    func `distinguishes one kind of type from another`(source: String, word: String) {
        #expect(TypeDeclaration(source: source)?.introducer.text == word)
    }
}
