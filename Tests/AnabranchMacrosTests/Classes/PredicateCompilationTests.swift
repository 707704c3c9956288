import Foundation
import TestSupport
import Testing

/// Compiles conditions of key paths within a limit of work.
@Suite(.waiting, .enabled(if: CompilerRun.isPossible, "there is no swiftc on the PATH"))
struct `The compiler with conditions of key paths` {
    private static let classes = """
        import Anabranch
        import Foundation
        enum Mood: String, AttributeEnum { case calm, wild }
        @Entity final class Person: ManagedObject {
            var name: String
            var nick: String?
            var age: Int64
            var size: Int16
            var rank: Int?
            var salary: Double
            var price: Decimal?
            var born: Date?
            var id: UUID?
            var isOn: Bool
            @Attribute var mood: Mood?
            var boss: Person?
            @Relationship(inverse: "boss") var reports: ManagedObjectSet<Person>
        }
        func make(
            day: Date, other: Person, limit: Int64, text: String?, id: UUID, number: Int
        ) throws {
            _ = try FetchRequest<Person>(
                where: %
            )
        }
        """

    /// - Parameter condition: Is at line 23.
    private func run(_ condition: String) throws -> CompilerRun {
        // A limit of work that does not depend on the machine: some tenths of a second.
        try CompilerRun(
            Self.classes.replacingOccurrences(of: "%", with: condition),
            flags: ["-Xfrontend", "-solver-scope-threshold=20000"])
    }

    @Test(arguments: [
        #"""
        \.name == "a" && \.age > 3 && \.nick == "b" && \.salary < 3.5 && \.born > day \#
        && \.id != nil && \.isOn == true && \.boss?.age > 60 && \.reports.count > 2 \#
        && \.rank == 5 && \.size <= 7 && \.boss?.name == "x"
        """#,
        #"""
        \.name == "a" && \.nick == "b" && \.age > 3 && \.salary < 3.5 && \.born > day && \.isOn \#
        && \.boss == other && \.price > 5 && \.age == limit && \.nick == text && \.id == id \#
        && (\Person.reports).count > 2 && (\Person.name).hasPrefix("a")
        """#,
        #"""
        (\.name == "a" || \.nick == "b") && !(\.age > 3) && (\.salary < 3.5 || \.born > day) \#
        && \.boss == other && \.price > 5 && \.age == limit && \.nick == text && \.id == id
        """#,
        #"""
        \.age > \.boss?.age && \.boss?.age > \.age && \.nick == \.boss?.nick && \.name == \.nick \#
        && [1, 2].contains(\.age) && (1...5).contains(\.age)
        """#,
        // The class in the key paths keeps parentheses, negations and counts fast.
        #"""
        (\Person.name == "a" && \Person.age > 3 || \Person.nick == "b" && \Person.age < 3) \#
        && !(\Person.salary < 3.5 || \Person.born > day) \#
        && ((\Person.reports).count > 2 || \Person.isOn && \Person.rank == 5) && !\Person.isOn \#
        && (\Person.size <= 7 || \Person.boss?.age > 60 && \Person.boss?.name == "x")
        """#,
        #"""
        (\Person.name == "a" || \Person.name == "b" || \Person.name == "c") \#
        && (\Person.age == 1 || \Person.age == 2 || \Person.age == 3) && \Person.isOn \#
        && (\Person.nick == "a" || \Person.nick == "b" || \Person.nick == nil) \#
        && !(\Person.rank == 1 || \Person.rank == 2 || \Person.rank == 3) \#
        && (\Person.reports).count(where: \Person.isOn == true) > 2
        """#,
        #"\.mood == .calm && (\Person.reports).contains(where: \.age > 3 && \.name == "a")"#,
    ])
    func `checks long conditions fast`(condition: String) throws {
        let run = try run(condition)
        #expect(run.output == "")
    }

    @Test(arguments: [
        #"\.name == "a" && \.age > "4" && \.salary < 3.5 && \.nick == "b" && \.rank == 5"#,
        #"\.nick == "x" && \.age > number && \.boss?.age > 60 && \.isOn && \.rank == 5"#,
        #"\.nick == "b" && \.age > 3 && \.name == text && \.salary < 3.5 && \.rank == 5"#,
        #"\.name == 5 && \.age > 3 && \.nick == "b" && \.salary < 3.5 && \.rank == 5"#,
    ])
    func `tells a value of a wrong type fast, at its place`(condition: String) throws {
        let run = try run(condition)
        #expect(run.errors.count == 1, "\(run.output)")
        let error = try #require(run.errors.first)
        #expect(error.line == 23 && error.file == "Use.swift")
        #expect(error.message.contains("compare a property with a value of its own type"))
    }

    /// The root type of a literal is unknown until its operator is chosen, so only a literal with a
    /// root lets the compiler look for the property first.
    @Test(arguments: [
        #"\Person.nmae == "a""#, #"\Person.name == "a" && \Person.boss?.nmae == "b""#,
        #"""
        \Person.name == "a" && \Person.age > 3 && \Person.nick == "b" && \Person.salary < 3.5 \#
        && \Person.id != nil && \Person.boss?.age > 60 && \Person.boss?.nmae == "x"
        """#,
    ])
    func `names a misspelled property where the class is written`(condition: String) throws {
        let run = try run(condition)
        #expect(run.errors.map(\.message) == ["value of type 'Person' has no member 'nmae'"])
        #expect(run.errors.first?.line == 23)
    }
}
