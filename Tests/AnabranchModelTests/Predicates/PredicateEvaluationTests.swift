import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

struct PredicateEvaluationTests {
    @Test func `every example of the language has its answer in memory`() throws {
        let graph = try PeopleExample.graph()
        let person = try #require(graph.model.entity(named: "Person"))
        for question in PeopleExample.questions(graph) {
            let predicate = try question.predicate()
            let resolved = try predicate.resolved(for: person, variables: question.variables)
            let found = try graph.subjects(of: person).filter { try resolved.evaluate(with: $0) }
            #expect(
                Set(found.map(\.row.id)) == question.answer,
                "\(question.number): \(question.format)")
        }
    }

    @Test func `an object is asked by its own entity`() throws {
        let anna = try #require(PeopleExample.graph().subject(1))
        let predicate = try FetchPredicate("age > $MIN AND name BEGINSWITH 'A'")
        func holds(_ variables: [String: (any PredicateArgument)?]) throws -> Bool {
            try predicate.resolved(for: anna.predicateEntity, variables: variables)
                .evaluate(with: anna)
        }
        #expect(try holds(["MIN": 29]))
        #expect(try !holds(["MIN": 30]))
        let error = #expect(throws: FetchPredicateError.self) { try holds([:]) }
        #expect(error?.code == .unboundVariable)
    }

    @Test func `the order of sorts puts missing values first and NaN last`() throws {
        let model = try PeopleExample.model()
        let person = try #require(model.entity(named: "Person"))
        let graph = SampleGraph(model)
        let scores: [PropertyValue] = [
            .double(2), .double(.nan), .null, .double(-1), .double(.infinity),
        ]
        for (index, score) in scores.enumerated() {
            graph.insert("Person", id: Int64(index + 1), ["score": score])
        }
        for (isAscending, expected) in [
            (true, [3, 4, 1, 5, 2] as [Int64]), (false, [2, 5, 1, 4, 3]),
        ] {
            let sort = try FetchSort("score", ascending: isAscending).resolved(for: person)
            let sorted = try graph.subjects(of: person).sorted {
                try sort.order($0, $1) == .less
            }
            #expect(sorted.map(\.row.id) == expected)
        }
    }

    @Test func `variables are bound, and those of SUBQUERY hide them`() throws {
        let predicate = try FetchPredicate(
            "age > $x AND SUBQUERY(cars, $x, $x.doors > $y).@count > 0")
        let bound = try predicate.substituting(["x": 18, "y": 4])
        #expect(
            bound.predicateFormat
                == "age > 18 AND SUBQUERY(cars, $x, $x.doors > 4).@count > 0")
    }
}

struct LikePatternTests {
    @Test(arguments: [
        ("abc", "abc", true), ("a*", "abc", true), ("*c", "abc", true), ("a?c", "abc", true),
        ("a?", "abc", false), ("*", "", true), ("?", "", false), ("a\\*c", "a*c", true),
        ("a\\*c", "abc", false), ("a\\\\c", "a\\c", true), ("**b**", "abc", true),
        ("a*b*c", "a1b2b3c", true), ("a*b*c", "a1c2b", false), ("\\", "\\", true),
        ("\\d", "\\d", true), ("", "", true), ("", "a", false), ("é?", "éx", true),
    ])
    func `patterns match whole texts`(pattern: String, text: String, matches: Bool) {
        #expect(LikePattern(pattern).matches(text) == matches)
    }

    @Test func `a hostile pattern takes linear time in the text`() {
        let text = String(repeating: "a", count: 20_000)
        let pattern = String(repeating: "a*", count: 50) + "b"
        #expect(!LikePattern(pattern).matches(text))
    }

    @Test func `folding drops case and marks as asked and nothing else`() {
        let cases: [(String, ComparisonOptions, String)] = [
            ("ÀB", [], "ÀB"), ("ÀB", .caseInsensitive, "àb"), ("ÀB", .diacriticInsensitive, "AB"),
            ("ÀB", [.caseInsensitive, .diacriticInsensitive], "ab"),
            ("ÀB", [.caseInsensitive, .normalized], "ÀB"), ("AB", .caseInsensitive, "ab"),
            ("AB", .diacriticInsensitive, "AB"),
        ]
        for (text, options, expected) in cases {
            let folded = TextFolding.fold(text, options: options)
            #expect(folded == expected, "\(text) \(options.letters)")
            #expect(TextFolding.fold(folded, options: options) == folded)
        }
    }

    @Test func `numbers compare exactly across their types`() {
        let big: Int64 = 9_007_199_254_740_993
        #expect(ValueOrder.compare(.integer(big), .double(9_007_199_254_740_992)) == .greater)
        #expect(ValueOrder.compare(.integer(.max), .double(0x1p63)) == .less)
        #expect(ValueOrder.compare(.integer(.min), .double(-0x1p63)) == .equal)
        #expect(ValueOrder.compare(.double(-0.0), .integer(0)) == .equal)
        #expect(ValueOrder.compare(.double(.nan), .double(.infinity)) == .greater)
        #expect(ValueOrder.compare(.integer(-1), .double(-1.5)) == .greater)
        #expect(ValueOrder.compare(.string("a"), .integer(1)) == nil)
        #expect(ValueOrder.compare(.string("\u{FF5E}"), .string("𐀀")) == .less)
    }
}
