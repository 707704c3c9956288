import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchModel

/// Templates are read once, and give what reading the format with the arguments gives.
struct FormatTemplateTests {
    private static func direct(
        _ format: String, _ arguments: [(any PredicateArgument)?]
    ) throws -> FetchPredicate {
        var parser = try PredicateParser(format, arguments: PlaceholderArguments(arguments))
        return try parser.parse()
    }

    private static var cases: [(String, [(any PredicateArgument)?])] {
        [
            ("age >= %d AND age <= %d", [100, 899]),
            ("age == -%d", [5]), ("age == - - %d", [Int64.max]), ("age == -%@", ["x"]),
            ("age == -(%d)", [7]), ("age == ~%d", [7]),
            ("age BETWEEN {%d, %d}", [1, 9]), ("age IN {1, %d, -%d}", [2, 3]),
            ("age IN {age, %d}", [2]), ("age IN %@", [[1, 2, 3]]),
            ("born > CAST(%f, 'NSDate')", [5.5]), ("id == CAST(%@, 'NSUUID')", ["no UUID"]),
            ("%K == %@", ["name", "x"]), ("%K.name == 'x'", ["boss"]), ("%K == %@", ["self", 5]),
            ("%K.age > 1", ["SELF.boss"]), ("%K[0].name == 'x'", ["list"]),
            ("list[%d].name == %@", [3, nil]), ("ANY %K.age > %f", ["reports", 3]),
            ("SUBQUERY(%K, $x, $x.age > %d AND $x.name == $name).@count > %d", ["reports", 1, 2]),
            ("TERNARY(age > %d, %@, 'b') == 'a'", [1, "a"]),
            ("%@ == name", [FetchExpression.keyPath("boss.name")]),
            ("%@.name == 'x'", [FetchExpression.keyPath("boss")]),
            ("max({%d, age}) > %d + %d * 2", [1, 2, 3]), ("NOT name IN %@", [["a"]]),
            ("name MATCHES[c] %@ OR name LIKE %@", ["a.*", "b*"]), ("TRUEPREDICATE", []),
            // The form of these depends on an argument.
            ("FUNCTION(name, %@) == 'X'", ["uppercaseString"]),
            ("CAST(age, %@) == 'x'", ["NSString"]),
            ("boss.%K == 'x'", ["name"]),
        ]
    }

    @Test func `templates give what reading with arguments gives`() throws {
        for (format, arguments) in Self.cases {
            let expected = try Self.direct(format, arguments)
            for _ in 1...2 {
                let predicate = try FetchPredicate(format: format, arguments: arguments)
                #expect(predicate == expected, "\(format)")
                #expect(predicate.predicateFormat == expected.predicateFormat, "\(format)")
            }
        }
        #expect(Self.cases.filter { FormatTemplate($0.0) == nil }.count == 3)
    }

    @Test func `wrong arguments are told as by reading with them`() {
        let cases: [(String, [(any PredicateArgument)?])] = [
            ("age == %d AND name == %@", [1]), ("age == %d", [1, 2]), ("age == %d", ["x"]),
            ("age == %d", [1.5]), ("%K == 1", [5]), ("%K == 1", ["a..b"]), ("age == 1", [1]),
            ("age == %d", [Double.nan]), ("age == %y", [1]), ("%@", ["x"]),
        ]
        for (format, arguments) in cases {
            let expected = #expect(throws: FetchPredicateError.self) {
                try Self.direct(format, arguments)
            }
            for _ in 1...2 {
                let error = #expect(throws: FetchPredicateError.self) {
                    try FetchPredicate(format: format, arguments: arguments)
                }
                #expect(error?.description == expected?.description, "\(format)")
            }
        }
    }

    @Test func `errors name the column of the placeholder`() throws {
        let entity = try #require(PeopleExample.model().entity(named: "Person"))
        for _ in 1...2 {
            let error = #expect(throws: FetchPredicateError.self) {
                try FetchPredicate("age > 1 AND name > %d", 5).resolved(for: entity)
            }
            #expect(error?.column == 18)
        }
    }

    @Test func `formats that only look equal are kept apart`() throws {
        let composed = try FetchPredicate("name == 'caf\u{E9}'")
        let decomposed = try FetchPredicate("name == 'cafe\u{301}'")
        func bytes(_ predicate: FetchPredicate) -> [UInt8] {
            guard case .comparison(let comparison) = predicate,
                case .constant(.value(.string(let text))) = comparison.right.form
            else { return [] }
            return Array(text.utf8)
        }
        #expect(bytes(composed) == Array("caf\u{E9}".utf8))
        #expect(bytes(decomposed) == Array("cafe\u{301}".utf8))
    }

    @Test func `more formats than are kept are read all the same`() throws {
        for round in 1...2 {
            for number in 0..<(3 * FormatCache.generationSize) {
                let predicate = try FetchPredicate("age == \(number) + %d", round)
                #expect(predicate == (try Self.direct("age == \(number) + %d", [round])))
            }
        }
        let long = "name == '" + String(repeating: "x", count: 3000) + "'"
        #expect(try FetchPredicate(long) == (try Self.direct(long, [])))
    }

    @Test func `formats are read from many threads`() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<500).allSatisfy { number in
                        let format = "age == \((number + task) % 300) - %d"
                        return try FetchPredicate(format, number) == Self.direct(format, [number])
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
