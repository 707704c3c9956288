import Foundation
import TestSupport
import Testing

/// Runs the compiler over classes with typical mistakes.
@Suite(.waiting, .enabled(if: CompilerRun.isPossible, "there is no swiftc on the PATH"))
struct `The compiler with @Entity` {
    /// Sources with mistakes. A comment has the macro's error on its line.
    private static let wrongForms = #"""
        import Anabranch
        /// Für alle.
        @Entity struct Value {}  // refused: write 'class Value: ManagedObject'
        @Entity class Rootless { var age: Int64 }  // refused: write 'class Rootless: ManagedObject'
        @Entity class Box<T>: ManagedObject { var age: Int64 }  // refused: can't be generic
        @Entity("A\(1)") class Named: ManagedObject {}  // refused: one literal without escapes
        @Entity class Wrong: ManagedObject {
            let size: Int64  // refused: make 'size' a 'var'
            /* é */ var preset = 0  // refused: mark it @Transient
            @Attribute var born: Date = Date()  // refused: differs each time
            @Relationship(inverse: path) var other: Wrong?  // refused: from the source
            var watched: Int64 { didSet {} }  // refused: has no observers
            var list: [Wrong]  // refused: is a 'ManagedObjectSet<Wrong>'
            @Attribute static let shared: Int64 = 1  // refused: this is none
            #if !NEVER
                var sometimes: Int64  // refused: out of #if
            #endif
            var right: Int64
        }
        #Unique<Wrong>([\.right])  // refused: only in the body of a class
        extension Wrong { @Attribute var late: Int64 { 3 } }  // refused: in the body of a class
        """#

    @Test func `shows a refusal at its line`() throws {
        let run = try CompilerRun(Self.wrongForms)
        let lines = Self.wrongForms.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let comment = line.range(of: "// refused: ") else { continue }
            let wanted = line[comment.upperBound...]
            #expect(
                run.errors.contains { error in
                    error.file == "Use.swift" && error.line == index + 1
                        && error.message.contains(wanted)
                }, "line \(index + 1), in:\n\(run.output)")
        }
    }

    private static let types = """
        import Anabranch
        enum Colour: Int16, AttributeValue {
            case red
            static var absent: Colour { .red }
        }
        enum Mood: String { case calm, wild }
        enum Level: Int16, AttributeEnum { case low, high }
        struct Point {}
        typealias People = ManagedObjectSet<Person>
        @Entity class Person: ManagedObject {
        %
        }
        """

    @Test(arguments: [
        ("var it: Colour?", "mark it with @Attribute"),
        ("var it: Mood", "AttributeEnum, as in 'enum Mood: String, AttributeEnum'"),
        ("@Attribute var it: Mood?", "AttributeEnum, as in 'enum Mood: String, AttributeEnum'"),
        ("var it: Mood?", "write 'enum Mood: String, AttributeEnum'"),
        ("var it: Level?", "mark it with @Attribute"),
        ("var it: Point?", "is no optional of a ManagedObject's class"),
        ("var it: Point", "does not conform to AttributeValue"),
        ("var it: UInt8?", "does not conform to AttributeValue"),
        ("var it: Person", "a to-one relationship is an optional"),
        ("@Attribute var it: Person?", "without @Attribute"),
        ("var it: People", "a to-many relationship a ManagedObjectSet"),
        ("var it: Point?", "@Transformable where a transformer makes bytes"),
        (
            "var it: Point { get { self[transformable: 0] } set { self[transformable: 0] = it } }",
            "make the property's type optional"
        ),
        ("@Relationship var it: Int64?", "is no optional of a ManagedObject's class"),
        (
            "var it: Colour? { get { self[toOne: 0] } set { self[toOne: 0] = newValue } }",
            "mark it with @Attribute"
        ),
    ])
    func `refuses a wrong guess, and says what to do`(member: String, message: String) throws {
        let run = try CompilerRun(Self.types.replacingOccurrences(of: "%", with: member))
        #expect(run.errors.contains { $0.message.contains(message) }, "\(run.output)")
        #expect(run.errors.count == 1 && run.errors[0].message.count < 280, "\(run.output)")
        #expect(run.errors.allSatisfy { $0.message.contains("is unavailable") }, "\(run.output)")
    }

    @Test func `takes what is right`() throws {
        let members = """
            @Attribute var colour: Colour?
            var plain: Colour
            @Attribute var level: Level? = .high
            var other: Level = .low
            @Transformable var spot: Point?
            @Transformable var spots: [Point]?
            var boss: Person?
            @Relationship var people: ManagedObjectSet<Person>
            @Transient var point = Point()
            #if DEBUG
                @Transient var calls: [String] = []
            #endif
            """
        let run = try CompilerRun(
            Self.types.replacingOccurrences(of: "%", with: members), flags: ["-DDEBUG"])
        #expect(run.output == "")
    }

    @Test func `takes every mark with its arguments, and gives it its types`() throws {
        let members = #"""
            #Unique<Person>([\.name, \.age], [\Person.mail])
            #Index<Person>([\.age, \.boss])
            @Attribute(.unique, .indexed, originalName: "title") var name: String? = nil
            @Attribute(.preserveValueOnDeletion, regularExpression: ".+@.+") var mail: String = ""
            @Attribute(minimum: 0, maximum: 150, mergeRule: .max, group: nil) var age: Int16 = 18
            @Attribute(validations: [.init("SELF > 0", warning: "No.")]) var size: Double = 1.5
            @Attribute(.transient, userInfo: ["a": "b"]) var colour: Colour? = .red
            @Attribute(derivation: "people.@count", hashModifier: "2") var count: Int
            @Transformable(by: "Points") @Attribute(.externalStorage) var spots: [Point]?
            @Relationship(acyclic: true, deleteRule: .deny, inverse: \Person.people)
            var boss: Person?
            var people: ManagedObjectSet<Person>
            @Relationship(minimumModelCount: 1, maximumModelCount: 9, inverse: "friends")
            var friends: ManagedObjectList<Person>
            @Relationship(optional: false, wireName: "x", inverse: nil) var best: Person?
            """#
        let run = try CompilerRun(Self.types.replacingOccurrences(of: "%", with: members))
        #expect(run.output == "")
    }

    @Test(arguments: [
        ("@Attribute(.uniq) var it: Int64", "has no member 'uniq'"),
        ("@Attribute var it: Int64 = \"\"", "cannot convert value of type 'String'"),
        ("@Relationship(inverse: \\Person.absent) var it: Person?", "member 'absent'"),
        ("#Unique<Person>([\\.absent])", "key path"),
    ])
    func `reports a wrong argument at the property`(member: String, message: String) throws {
        let source = Self.types.replacingOccurrences(of: "%", with: member)
        let line = source.components(separatedBy: "\n").firstIndex { $0.contains(member) } ?? -1
        let run = try CompilerRun(source)
        #expect(
            run.errors.contains { error in
                error.file == "Use.swift" && error.line == line + 1
                    && error.message.contains(message)
            }, "\(run.output)")
    }

    @Test func `takes classes of a module that is on the main actor`() throws {
        let run = try CompilerRun(
            """
            import Anabranch
            @Entity nonisolated class Person: ManagedObject { var age: Int64; var boss: Person? }
            @Entity nonisolated final class Pilot: Person { var licence: String? }
            func age(_ pilot: Pilot) -> Int64 { pilot.age }
            func insert(_ background: BackgroundContext) async throws {
                try await background.perform { try $0.insert(Pilot.self).licence = "A" }
            }
            """, flags: ["-default-isolation", "MainActor"])
        #expect(run.output == "")
    }

    @Test func `takes a class on the main actor, for code that is there`() throws {
        let run = try CompilerRun(
            """
            import Anabranch
            @Entity public class Person: ManagedObject {
                var age: Int64
                var boss: Person?
                @Transient var calls = 0
            }
            @Entity final class Pilot: Person { var licence: String? }
            func pilots(_ container: PersistentContainer) throws -> [Pilot] {
                let request = try FetchRequest<Pilot>(where: \\.age > 3 && \\.licence != nil)
                for pilot in try container.viewContext.fetch(request) { pilot.age += 1 }
                return try container.viewContext.fetch(request)
            }
            """, flags: ["-default-isolation", "MainActor"])
        #expect(run.output == "")
    }
}
