import Foundation
import Testing

@testable import AnabranchMacroExpansion

@Suite struct `What @Entity refuses` {
    /// Returns the diagnostics, each with the word of the source to which it points.
    private func diagnostics(_ source: String) -> [(word: String, message: String)] {
        let expansion = EntityMacro.members(of: source, attribute: "@Entity")
        return expansion.diagnostics.map { diagnostic in
            let rest = source.utf8.dropFirst(diagnostic.offset)
            let word = SwiftLexer.code(of: String(decoding: rest, as: UTF8.self)).first
            return (word?.text ?? "", diagnostic.message)
        }
    }

    @Test(arguments: [
        ("let size: Int64", "let", "make 'size' a 'var'"),
        ("var untyped", "untyped", "write 'var untyped: '"),
        ("var guessed = 3", "guessed", "write 'var guessed: ' with its type, or mark it"),
        ("var a: Int64 = 3 { willSet {} }", "a", "override willSave()"),
        ("var a: Int64 = 3, b: Bool = true", "a", "one a line"),
        ("var watched: Int64 { didSet {} }", "watched", "override willSave()"),
        ("weak var owner: A?", "owner", "can't be weak"),
        ("unowned(unsafe) var owner: A?", "owner", "can't be unowned"),
        ("var (a, b): (Int, Int)", "var", "one a line"),
        ("var a, b: Int64", "a", "one a line"),
        ("@NSManaged var a: Int64", "a", "remove @NSManaged"),
        ("override var a: Int64", "a", "of the class above"),
        ("#if DEBUG\nvar a: Int64\n#endif", "a", "out of #if"),
        ("var description: String?", "description", "such as 'ownDescription'"),
        ("@Attribute var entity: Entry?", "entity", "add 'originalName: \"entity\"'"),
        ("var a: String!", "String", "'?' instead of '!'"),
        ("var a: [Person]", "[", "a 'ManagedObjectSet<Person>'"),
        ("var a: Set<Person>?", "Set", "a 'ManagedObjectSet<Person>'"),
        ("var a: Swift.Array<Person>", "Swift", "a 'ManagedObjectSet<Person>'"),
        ("var a: ManagedObjectSet<Person>?", "ManagedObjectSet", "never nil"),
        ("@Relationship var a: Person", "Person", "write 'Person?'"),
        ("@Attribute @Relationship var a: Person?", "a", "@Attribute or @Relationship"),
        ("@Attribute var a: ManagedObjectSet<A>", "a", "remove @Attribute"),
        ("@Attribute var a: ManagedObjectList<A>", "a", "since a ManagedObjectList"),
        ("var a: ManagedObjectList<A>?", "ManagedObjectList", "never nil"),
        ("@Transformable var a: Dye", "Dye", "write 'Dye?'"),
        ("@Transformable var a: [Int]", "[", "write '[Int]?'"),
        ("@Transformable @Relationship var a: A?", "a", "@Transformable or @Relationship"),
        ("@Transformable var a: ManagedObjectSet<A>", "a", "remove @Transformable"),
        ("@Transformable var a: Dye!", "Dye", "'?' instead of '!'"),
        ("@Attribute(.composite) var a: String?", "String", "remove '.composite' from 'a'"),
        ("@Attribute(.composite) var a: [Place]", "[", "the type of a struct with @Composite"),
        ("@Attribute(.composite) @Relationship var a: A?", "a", "@Attribute or @Relationship"),
        ("var a: (Int, Int)", "(", "'(Int, Int)' can't be stored"),
        ("var a: (Int) -> Int", "(", "can't be stored"),
        ("var a: [String: Int]", "[", "can't be stored"),
        ("var a: any Hashable", "any", "can't be stored"),
        ("var a: A & B", "A", "can't be stored"),
    ])
    func `a property in a wrong form, at its place`(
        member: String, word: String, message: String
    ) throws {
        let source = "/// Ü\n@Entity class X: ManagedObject {\n    var ä: Int64\n\(member)\n}"
        let found = diagnostics(source)
        try #require(found.count == 1)
        #expect(found[0].word == word)
        #expect(found[0].message.contains(message))
        let expansion = EntityMacro.members(of: source, attribute: "@Entity")
        #expect(expansion.source.contains("[\"ä\"]"))
        #expect(EntityMacro.attribute(ofMember: member, in: source).source == "")
    }

    @Test(arguments: [
        ("var a: Date = Date()", "Date", "set 'a' in awakeFromInsert()"),
        ("var a: Foundation.Date? = .now", ".", "differs each time"),
        ("var a: Date = Date.now.addingTimeInterval(3)", "Date", "differs each time"),
        ("var a: String = \"n\" + UUID().uuidString", "\"n\"", "differs each time"),
        ("var a: UUID = .init()", ".", "differs each time"),
        ("@Attribute(derivation: \"b\") var a: Int = 1", "1", "The store computes 'a'"),
        ("@Attribute(.composite) var a: A? = A()", "A", "the defaults of its elements"),
        ("@Attribute(.composite, minimum: 1) var a: A?", "minimum", "'minimum': write it in"),
        ("@Attribute(.composite, .unique) var a: A?", ".", "no 'unique', and merges"),
        ("@Attribute(.composite, mergeRule: .max) var a: A?", "mergeRule", "no 'mergeRule', and"),
        ("@Transformable var a: [Int]? = [1]", "[", "set 'a' in awakeFromInsert()"),
        ("var a: A? = nil", "nil", "A relationship is empty at first"),
        ("var a: ManagedObjectSet<A> = .init()", ".", "A relationship is empty at first"),
        ("@Attribute(.transient, .unique) var a: Int", ".", "'.unique': a transient attribute"),
        ("@Attribute(.indexed, derivation: \"b\") var a: Int", ".", "'.indexed': a derived"),
        ("@Relationship(minimumModelCount: 1) var a: A?", "minimumModelCount", "'optional: false'"),
        ("@Relationship(maximumModelCount: 1) var a: A?", "maximumModelCount", "has no counts"),
        ("@Relationship(acyclic: true) var a: ManagedObjectList<A>", "acyclic", "The to-one side"),
        ("@Relationship(inverse: path) var a: A?", "inverse", "'\\Note.author', the name"),
        ("@Relationship(inverse: \\A.b?.c) var a: A?", "inverse", "reads the inverse"),
        ("@Relationship(inverse: \\.b.c) var a: A?", "inverse", "reads the inverse"),
        ("#Unique<X>([\\.ä], names)", "names", "lists of key paths"),
        ("#Index<X>([])", "[", "lists of key paths"),
        ("#Anabranch.Index<X>([\\.ä, \\.a?.b])", "[", "of #Index from the source"),
        ("#if DEBUG\n#Unique<X>([\\.ä])\n#endif", "#Unique", "move #Unique out of #if"),
    ])
    func `a mark or an initial value that no model can have, at its place`(
        member: String, word: String, message: String
    ) throws {
        let found = diagnostics("@Entity class X: ManagedObject {\n    var ä: Int64\n\(member)\n}")
        try #require(found.count == 1)
        #expect(found[0].word == word)
        #expect(found[0].message.contains(message))
    }

    @Test func `the name of each public property of ManagedObject`() throws {
        let folder = Built.package.appending(path: "Sources/Anabranch")
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var names: Set = ["hashValue"]
        for case let file as URL in files where file.pathExtension == "swift" {
            var type: Substring?
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if let start = line.firstMatch(of: /^(?:open class|extension) (\w+)\b/) {
                    type = start.1
                } else if type == "ManagedObject",
                    let property = line.firstMatch(of: /^    (?:public|open) (?:final )?var (\w+)/)
                {
                    names.insert(String(property.1))
                }
            }
        }
        #expect(WrongForm.namesOfEveryObject == names)
    }

    @Test(arguments: [
        ("struct Value {}", "struct", "write 'class Value: ManagedObject'"),
        ("actor Value {}", "actor", "write 'class Value: ManagedObject'"),
        ("extension Value {}", "extension", "write 'class Value: ManagedObject'"),
        ("class Value { var a: Int }", "Value", "write 'class Value: ManagedObject'"),
        ("class Value<T>: ManagedObject {}", "Value", "can't be generic"),
        ("func f() {}", "func", "write it before 'class'"),
    ])
    func `a declaration that is no class of an entity`(
        source: String, word: String, message: String
    ) throws {
        let found = diagnostics(source)
        try #require(found.count == 1)
        #expect(found[0].word == word && found[0].message.contains(message))
        #expect(EntityMacro.members(of: source, attribute: "@Entity").source.isEmpty)
        #expect(EntityMacro.attribute(ofMember: "var a: Int", in: source).source.isEmpty)
    }

    @Test(arguments: [
        ("class X: ManagedObject { let a: Int }", "class X: ManagedObject { var a: Int }"),
        (
            "class X: ManagedObject { /* ü */ public var a = 3 }",
            "class X: ManagedObject { /* ü */ @Transient public var a = 3 }"
        ),
        (
            "class X: ManagedObject { @Relationship var a: A? = .none }",
            "class X: ManagedObject { @Transient @Relationship var a: A? = .none }"
        ),
        ("class X: ManagedObject { var a: A! }", "class X: ManagedObject { var a: A? }"),
        (
            "class X: ManagedObject { @Relationship var a: B<C> }",
            "class X: ManagedObject { @Relationship var a: B<C>? }"
        ),
        (
            "class X: ManagedObject { @Transformable var a: Dye }",
            "class X: ManagedObject { @Transformable var a: Dye? }"
        ),
        ("class X { }", "class X: ManagedObject { }"),
    ])
    func `a declaration is accepted after the fix that an editor offers`(
        source: String, better: String
    ) throws {
        let diagnostic = try #require(
            EntityMacro.members(of: source, attribute: "@Entity").diagnostics.first)
        let fixIt = try #require(diagnostic.fixIt)
        var bytes = Array(source.utf8)
        bytes.replaceSubrange(fixIt.range, with: fixIt.text.utf8)
        #expect(String(decoding: bytes, as: UTF8.self) == better)
        #expect(diagnostics(better).isEmpty)
    }

    @Test func `a constraint outside a class with @Entity`() {
        let entity = "@Entity class X: ManagedObject {}"
        #expect(
            EntityConstraintMacro.check("Unique", in: [entity, "enum E {}"]).diagnostics.isEmpty)
        for context in [[], ["class X: ManagedObject {}"], ["extension X {}", entity]] {
            let found = EntityConstraintMacro.check("Index", in: context).diagnostics
            #expect(found.first?.message.hasPrefix("#Index says something only") == true)
        }
    }

    @Test func `a mark in a place where it has no effect`() {
        let entity = ["@Entity(\"A\") class X: ManagedObject {}"]
        func isRefused(_ name: String, _ source: String, in context: [String] = entity) -> Bool {
            let diagnostics = EntityMark.check(name, on: source, in: context).attributeComplaints
            return !diagnostics.isEmpty
        }
        #expect(!isRefused("Attribute", "@Attribute var a: A?"))
        #expect(!isRefused("Transformable", "@Transformable var a: [A]?"))
        #expect(isRefused("Transformable", "@Transformable let a = 3"))
        #expect(!isRefused("Transient", "@Transient var a = 3"))
        #expect(!isRefused("Transient", "@Transient let a: Int = 3"))
        #expect(!isRefused("Relationship", "@Relationship\nvar a: A?", in: entity + ["class Y {}"]))
        #expect(isRefused("Attribute", "@Attribute static var a: A?"))
        #expect(isRefused("Attribute", "@Attribute @Transient var a: A?"))
        #expect(isRefused("Attribute", "@Attribute lazy var a = 3"))
        #expect(isRefused("Relationship", "@Relationship var a: A? { nil }"))
        #expect(isRefused("Transient", "@Transient func f() {}"))
        #expect(isRefused("Transient", "@Transient static var a = 3"))
        #expect(isRefused("Attribute", "@Attribute var a: A?", in: []))
        #expect(isRefused("Attribute", "@Attribute var a: A?", in: ["extension X {}"] + entity))
        #expect(isRefused("Attribute", "@Attribute var a: A?", in: ["class X: ManagedObject {}"]))
    }
}
