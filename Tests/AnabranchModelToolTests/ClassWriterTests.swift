import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchModelTool

@Suite struct `Classes of a model` {
    @Test func `each entity has a class with its slots in order`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                AttributeDeclaration("in", .boolean)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
            EntityDeclaration("Pilot", parent: "Person") {
                AttributeDeclaration("licence", .uuid)
            }
        }
        Golden.expect(
            ClassWriter(model: model, fileName: "our people").source(), matches: "classes.txt")
    }

    @Test(
        arguments: [
            (".Note", "Note"), ("Diary.Note", "Note"), ("Note", "Note"),
            ("NSManagedObject", "Entry"), (nil, "Entry"),
        ] as [(String?, String)])
    func `a class has the name that the model gives it, without the module`(
        className: String?, name: String
    ) throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Entry", representedClassName: className) {
                AttributeDeclaration("text", .string)
            }
        }
        let source = ClassWriter(model: model, fileName: "diary").source()
        #expect(source.contains("class \(name): ManagedObject {"), "\(source)")
        #expect(source.contains("entityName: String { \"Entry\" }"), "\(source)")
    }

    @Test func `an ordered relationship is a list`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Album") {
                RelationshipDeclaration("songs", toMany: "Song", ordered: true)
            }
            EntityDeclaration("Song") { AttributeDeclaration("name", .string) }
        }
        let source = ClassWriter(model: model, fileName: "music").source()
        #expect(source.contains("public var songs: ManagedObjectList<Song> { self[list: 0] }"))
    }

    @Test func `a transient relationship and one that is its own inverse are like others`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                RelationshipDeclaration("spouse", to: "Person", inverse: "spouse")
                RelationshipDeclaration("host", to: "Person", transient: true, inverse: "guests")
                RelationshipDeclaration(
                    "guests", toMany: "Person", transient: true, inverse: "host")
            }
        }
        let source = ClassWriter(model: model, fileName: "people").source()
        #expect(source.contains("public var host: Person? {"), "\(source)")
        #expect(source.contains("get { self[toOne: 1] }"), "\(source)")
        #expect(source.contains("public var guests: ManagedObjectSet<Person> { self[toMany: 2] }"))
    }

    @Test func `a derived attribute can be read, and not be set`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Song") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("upperName", .string, derivation: "uppercase:(name)")
            }
        }
        let source = ClassWriter(model: model, fileName: "music").source()
        #expect(source.contains("public var upperName: String? { self[slot: 1] }"))
    }

    @Test func `a composite attribute has a struct, one for each type`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                for name in ["home", "work"] {
                    CompositeAttribute(name, of: "Address", optional: name == "home") {
                        AttributeDeclaration("in", .string)
                        AttributeDeclaration("zip", .integer32, optional: false)
                        CompositeAttribute("place") { AttributeDeclaration("altitude", .double) }
                    }
                }
            }
        }
        let source = ClassWriter(model: model, fileName: "people").source()
        #expect(source.ranges(of: "public struct ").count == 2)
        for line in [
            "nonisolated public struct Address: CompositeValue, Hashable, Sendable {",
            "public var `in`: String?", "public var zip: Int32", "public var place: Place?",
            "public init(`in`: String? = nil, zip: Int32, place: Place? = nil) {",
            #"self.`in` = elements["in"]"#, #"elements["place"] = self.place"#,
            #"composite.element("zip", Int32.self)"#,
            #"["name", "home.in", "home.place.altitude", "home.zip", "work.in", "#
                + #""work.place.altitude", "work.zip"]"#,
            "public var home: Address? {", "public var work: Address {",
            #"set { self[composite: "work"] = newValue }"#,
        ] {
            #expect(source.contains(line), "\(line) is not in \(source)")
        }
        #expect(!source.contains("home.in: "))
    }

    /// Tests the class that the model names, and its accessors.
    @Test(
        arguments: [
            (nil, "public var it: Data? { get { self[slot: 0] }"),
            ("[Int64]", "public var it: [Int64]? { get { self[transformable: 0] }"),
            ("NSArray", "public var it: NSArray? { get { self[transformable: 0] }"),
            ("Dictionary<String, URL>?", "public var it: Dictionary<String,URL>? { get {"),
            // The tool can't know whether a type of the program is public.
            (".Colour", "    var it: Colour? { get { self[transformable: 0] }"),
            ("Paint.Colour", "    var it: Paint.Colour? { get { self[transformable: 0] }"),
        ] as [(String?, String)])
    func `a transformable has the type that the model names`(
        className: String?, accessor: String
    ) throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Laptop") {
                AttributeDeclaration("it", .transformable, className: className, optional: false)
            }
        }
        let source = ClassWriter(model: model, fileName: "laptops").source()
        let line = source.replacing("\n        ", with: " ")
        #expect(line.contains(accessor), "\(source)")
        let isFoundationPublic = source.contains("public import Foundation")
        #expect(
            isFoundationPublic == [nil, "NSArray", "Dictionary<String, URL>?"].contains(className))
    }
}
