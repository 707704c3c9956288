import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport
import Testing

private typealias Code = FetchPredicateError.Code

struct PredicateParserTests {
    /// Each entry has the format, the code, the column, and text that the message contains.
    private static let unreadable: [(String, Code, Int?, String)] = [
        ("", .emptyPredicate, 1, "empty predicate"),
        ("   ", .emptyPredicate, 4, "empty predicate"),
        ("age", .syntax, 4, "comparison operator"),
        ("age * 25", .syntax, 9, "comparison operator"),
        ("age === 25", .syntax, 7, "'='"),
        (",", .syntax, 1, "','"),
        ("()", .syntax, 2, "')'"),
        ("age >", .syntax, 6, "the end"),
        ("> 3", .syntax, 1, "'>'"),
        ("age > > 3", .syntax, 7, "'>'"),
        ("age > 18 AND", .syntax, 13, "after 'AND'"),
        ("AND age > 3", .syntax, 1, "'AND'"),
        ("(age > 18", .syntax, 10, "closing parenthesis"),
        ("age > 18)", .syntax, 9, "parenthesis"),
        ("name LIKE %@*", .syntax, 13, "'*'"),
        ("name == 'abc", .unterminatedString, 9, "closing '"),
        ("name ~= 'x'", .syntax, 6, "'~'"),
        ("name == ?", .syntax, 9, "'?'"),
        ("name ==[x] 'a'", .unknownOption, 9, "'x'"),
        ("ANY .id == 3", .syntax, 5, "key path"),
        ("SUBQUERY(cars, c, c.doors > 3).@count > 0", .syntax, 16, "'$'"),
        ("foo(age) > 1", .unknownFunction, 1, "'foo'"),
        ("age > %d", .missingArgument, 7, "argument 1"),
        ("age == 12abc", .invalidNumber, 8, "'12'"),
        ("age == 0x", .invalidNumber, 8, "0x"),
        ("age == 1e999", .invalidNumber, 8, "too large"),
        ("age == 1 age == 2", .syntax, 10, "AND or OR"),
        ("(age == 1) == 2", .syntax, 2, "condition"),
        ("age == (a == 1)", .syntax, 9, "condition"),
        ("age == %y", .syntax, 8, "placeholder"),
        ("1", .syntax, 2, "comparison operator"),
        ("CAST(age) == 1", .syntax, 1, "CAST"),
        ("%@", .syntax, 1, "whole predicate"),
        ("SELF isKindOfClass:$c", .syntax, 6, "comparison operator"),
    ]

    @Test func `text that cannot be read is reported with its column`() {
        for (format, code, column, mention) in Self.unreadable {
            let arguments: [(any PredicateArgument)?] = format.contains("%@") ? ["x"] : []
            let error = #expect(throws: FetchPredicateError.self, "\(format)") {
                try FetchPredicate(format: format, arguments: arguments)
            }
            #expect(error?.code == code, "\(format): \(error as Any)")
            #expect(error?.column == column, "\(format): \(error as Any)")
            #expect(error?.message.contains(mention) == true, "\(format): \(error as Any)")
        }
    }

    @Test func `arguments have to fit their placeholders`() {
        let cases: [(String, [(any PredicateArgument)?], Code, String)] = [
            ("%@", ["x"], .syntax, "whole predicate"),
            ("a == 1", [1], .unusedArgument, "1 arguments"),
            ("a == %d", ["x"], .invalidArgument, "number"),
            ("a == %d", [1.5], .invalidArgument, "%f"),
            ("%K == 1", [1], .invalidArgument, "key path"),
            ("%K == 1", ["a..b"], .invalidArgument, "empty key"),
            ("%K == 1", [nil], .invalidArgument, "key path"),
        ]
        for (format, arguments, code, mention) in cases {
            let error = #expect(throws: FetchPredicateError.self, "\(format)") {
                try FetchPredicate(format: format, arguments: arguments)
            }
            #expect(error?.code == code, "\(format): \(error as Any)")
            #expect(error?.message.contains(mention) == true, "\(format): \(error as Any)")
        }
    }

    /// Each entry has the format and its canonical form.
    private static let printed: [(String, String)] = [
        ("a=1", "a == 1"),
        ("age>18&&name=='x'", "age > 18 AND name == \"x\""),
        ("not a = true or v >= 1 and v <= 10.5", "NOT a == 1 OR (v >= 1 AND v <= 10.5)"),
        ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        ("a beginsWITH 'x' And b == Nil", "a BEGINSWITH \"x\" AND b == nil"),
        ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
        ("(a == 1 AND b == 2) AND c == 3", "(a == 1 AND b == 2) AND c == 3"),
        ("NOT (a == 1 OR b == 2)", "NOT (a == 1 OR b == 2)"),
        ("! ! a == 1", "NOT NOT a == 1"),
        ("a contains [ c d ] \"x\"", "a CONTAINS[cd] \"x\""),
        ("self.a == nil", "a == nil"),
        ("SELF == 1", "SELF == 1"),
        ("#in == 1 AND a.#in == 2", "#in == 1 AND a.#in == 2"),
        ("size == 2", "#size == 2"),
        ("a - (b - c) - d == 1", "a - (b - c) - d == 1"),
        ("(a + 1) ** 3 == 8.0", "(a + 1) ** 3 == 8.0"),
        ("a + b * c | 1 == 7", "a + b * c | 1 == 7"),
        ("-a == -5 AND - -5 == 5", "-a == -5 AND 5 == 5"),
        ("a == -9223372036854775808", "a == -9223372036854775808"),
        ("a[FIRST] == 1 AND SELF[2] == 3", "a[FIRST] == 1 AND SELF[2] == 3"),
        ("ANY a.b IN {1, 'x', nil}", "ANY a.b IN {1, \"x\", nil}"),
        ("a IN {}", "a IN {}"),
        ("some a.b == 1", "ANY a.b == 1"),
        ("x.@sum.y >= 8", "x.@sum.y >= 8"),
        ("SUBQUERY(c, $x, $x.d == 1).@count > 0", "SUBQUERY(c, $x, $x.d == 1).@count > 0"),
        ("add:to:(a, 1) == sum(b)", "add:to:(a, 1) == sum(b)"),
        ("sum:(1,1) = 2", "sum(1, 1) == 2"),
        ("TERNARY(a == 1, 2, 3) == 2", "TERNARY(a == 1, 2, 3) == 2"),
        ("FUNCTION(a, 'f:', 1) == 2", "FUNCTION(a, \"f:\", 1) == 2"),
        ("CAST(a, 'NSNumber') < 7", "CAST(a, \"NSNumber\") < 7"),
        ("CAST(1.5, 'NSDate') > d", "CAST(1.5, \"NSDate\") > d"),
        ("a UNION {1} == b MINUS c", "a UNION {1} == b MINUS c"),
        ("a UTI-CONFORMS-TO 'x'", "a UTI-CONFORMS-TO \"x\""),
        ("'a\"b\\'c\\\\d\\n\\x41\\u00e9\\*' == x", "\"a\\\"b'c\\\\d\\nAé\\\\*\" == x"),
        ("$a.b == $c", "$a.b == $c"),
        ("a == 12345678901234567890", "a == CAST(\"12345678901234567890\", \"NSDecimalNumber\")"),
        ("a NOT IN {1}", "NOT a IN {1}"),
        ("na\\u0020me == 1", "na\\u0020me == 1"),
        ("SELF- 1 = 1", "SELF - 1 == 1"),
        ("a =< 1 AND b => 2 AND c <> 3", "a <= 1 AND b >= 2 AND c != 3"),
    ]

    @Test func `formats print in canonical form, which reads as the same predicate`() throws {
        for (format, canonical) in Self.printed {
            let predicate = try FetchPredicate(format)
            #expect(predicate.predicateFormat == canonical, "\(format)")
            #expect(try FetchPredicate(canonical) == predicate, "\(format)")
        }
    }

    @Test func `predicates are equal by meaning, not by where things stood`() throws {
        #expect(try FetchPredicate("a==1") == FetchPredicate("  a  =  1 "))
        #expect(try FetchPredicate("a == 1") != FetchPredicate("a == 2"))
        #expect(try FetchPredicate("a == 'x'") != FetchPredicate("a ==[c] 'x'"))
        #expect(try FetchPredicate("a < 1") != FetchPredicate("a <= 1"))
        #expect(try FetchPredicate("a == %@", true) == FetchPredicate("a == YES"))
        #expect(try FetchPredicate("%K == 1", "boss.name") == FetchPredicate("boss.name == 1"))
    }

    @Test func `arguments are data, never syntax`() throws {
        let hostile = "x' OR TRUEPREDICATE OR name == 'y"
        let predicate = try FetchPredicate("%K == %@", "name", hostile)
        guard case .comparison(let comparison) = predicate else {
            Issue.record("not one comparison")
            return
        }
        #expect(try comparison.right == .constant(hostile))
        #expect(try FetchPredicate(predicate.predicateFormat) == predicate)
        #expect(try FetchPredicate("%K == 1", "$x").predicateFormat == "\\u0024x == 1")
        #expect(
            try FetchPredicate("%K.%K == $FETCH_SOURCE.%K", "a", "b.c", "d").predicateFormat
                == "a.b.c == $FETCH_SOURCE.d")
    }

    @Test func `every kind of argument survives print and read`() throws {
        let arguments: [(any PredicateArgument)?] = [
            nil, 1, -5, Int64.min, UInt64.max, 1.5, -0.0, 1e300, Double.leastNonzeroMagnitude,
            Double.nan,
            Double.infinity, -Double.infinity, true, "", "a\u{0}\u{1F}\"\\'é👩‍👩‍👧",
            Date(timeIntervalSinceReferenceDate: 0.1),
            Data([0, 255]), Data(), UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            URL(string: "http://a.example/?b=c"), Decimal(string: "-12.345"), [1, 2], ["a", "b"],
            [String](), Set([1]), ExactDecimal("1e30"), PropertyValue.string("x"),
            Optional<Int>.none,
        ]
        for argument in arguments {
            let predicate = try FetchPredicate("a == %@", argument)
            let again = try FetchPredicate(predicate.predicateFormat)
            #expect(again == predicate, "\(predicate)")
        }
    }

    @Test func `combining keeps chains flat`() throws {
        let (a, b) = (try FetchPredicate("a == 1"), try FetchPredicate("b == 2"))
        #expect(a.and(b).and(a).predicateFormat == "a == 1 AND b == 2 AND a == 1")
        #expect(a.or(b).and(a.negated).predicateFormat == "(a == 1 OR b == 2) AND NOT a == 1")
        #expect(FetchPredicate.true.predicateFormat == "TRUEPREDICATE")
    }
}
