import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

struct PredicateFuzzTests {
    private static let words = [
        "age", "name", "cars.maker", "SELF", "AND", "OR", "NOT", "&&", "||", "!", "(", ")", "{",
        "}", "[", "]", ",", ".", "==", "!=", "<", "IN", "BETWEEN", "CONTAINS", "[c]", "LIKE",
        "MATCHES", "ANY", "ALL", "NONE", "1", "2.5", "-", "~", "+", "**", "<<", "'x'", "\"", "\\",
        "$v", "@count", "%@", "%K", "%d", "%", "SUBQUERY(", "CAST(", "TERNARY(", "FUNCTION(",
        "sum(", "add:to:(", "nil", "TRUE", "#", "TRUEPREDICATE", "\u{0}", "é", "UTI-EQUALS", ":=",
    ]

    @Test(arguments: TestLength.seeds(80))
    func `no input traps, and what is read prints as what is read`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let formats = Self.corpus
        for round in 0..<300 {
            let format: String
            if round.isMultiple(of: 2) {
                format = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                    Self.words.randomElement(using: &generator) ?? ""
                }.joined(separator: generator.oneIn(3) ? "" : " ")
            } else {
                format = Self.mutated(formats.randomElement(using: &generator) ?? "", &generator)
            }
            let arguments = (0..<format.count { $0 == "%" }).map { _ in
                "x" as (any PredicateArgument)?
            }
            guard let predicate = try? FetchPredicate(format: format, arguments: arguments) else {
                continue
            }
            #expect(try FetchPredicate(predicate.predicateFormat) == predicate, "\(format)")
        }
    }

    private static let corpus = [
        "age >= 30 AND age <= 45", "NOT (name BEGINSWITH[cd] 'B' OR ANY cars.doors > 4)",
        "SUBQUERY(cars, $c, $c.maker == 'Fiat' AND $c.doors == 5).@count > 0",
        "a + 2 * (b - 1) ** 3 == TERNARY(a == 1, 2, -c) AND x IN {1, 2.5, 'y', nil}",
        "CAST(1.5, 'NSDate') > d[FIRST].e[x + 1] || FUNCTION(a, 'f:', 1) != add:to:(1, ~2)",
    ]

    private static func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        .long,
        arguments: [
            ("", "("), ("", "NOT "), ("", "-"), ("a == ", "{"), ("a == ", "a["), ("a == ", "sum("),
            ("a == 1", " + 1"), ("", "SUBQUERY(a, $a, "), ("", "TERNARY("), ("", "a := "),
        ])
    func `input nested without end is refused before the stack is`(start: String, unit: String) {
        let format = start + String(repeating: unit, count: 100_000)
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(format) }
        #expect(error?.code == .tooComplex)
    }

    @Test func `long flat input is no nesting`() throws {
        let chain = (0..<20_000).map { "a == \($0)" }.joined(separator: " OR ")
        let list = "a IN {" + (0..<20_000).map(String.init).joined(separator: ", ") + "}"
        #expect(try FetchPredicate(chain).predicateFormat == chain)
        #expect(try FetchPredicate(list).predicateFormat == list)
    }
}
