import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport
import Testing

private typealias Code = FetchPredicateError.Code

struct PredicateResolutionTests {
    /// Each entry has the format, code, entity and key, and text that the message contains.
    private static let unsound: [(String, Code, String?, String?, String)] = [
        ("nosuch == 1", .unknownKey, "Person", "nosuch", "nosuch"),
        ("boss.nosuch == 1", .unknownKey, "Person", "nosuch", "nosuch"),
        ("ANY cars.nosuch == 1", .unknownKey, "Car", "nosuch", "'Car'"),
        ("age.x == 1", .notARelationship, "Person", "age", "Person.age"),
        ("name.size == 1", .notARelationship, "Person", "name", "'size'"),
        ("cars.@count.x == 1", .notARelationship, "Person", "x", "@count"),
        ("cars.maker == 'x'", .quantifierNeeded, "Person", "cars", "ANY"),
        ("'x' == cars.maker", .quantifierNeeded, "Person", "cars", "ANY"),
        (
            "ANY age > 5", .quantifierNotAllowed, "Person", nil,
            "an attribute under the merge rule keepBoth"
        ),
        ("age BETWEEN 25", .twoValuesNeeded, "Person", nil, "two values"),
        ("age BETWEEN {1}", .twoValuesNeeded, "Person", nil, "two values"),
        ("age BETWEEN {1, 2, 3}", .twoValuesNeeded, "Person", nil, "two values"),
        ("name IN 5", .notACollection, "Person", nil, "collection"),
        ("age IN boss", .notACollection, "Person", nil, "collection"),
        ("age == 'abc'", .typeMismatch, "Person", "age", "Person.age (integer64)"),
        ("name == 5", .typeMismatch, "Person", "name", "5"),
        ("name IN {9, 10}", .typeMismatch, "Person", "name", "Person.name"),
        ("active == 2", .typeMismatch, "Person", "active", "2"),
        ("born == 'today'", .typeMismatch, "Person", "born", "date"),
        ("born > 5", .typeMismatch, "Person", "born", "date"),
        ("key == 'nonsense'", .typeMismatch, "Person", "key", "uuid"),
        ("price == '5'", .typeMismatch, "Person", "price", "decimal"),
        ("age BEGINSWITH '1'", .typeMismatch, "Person", "age", "BEGINSWITH"),
        ("photo CONTAINS 'x'", .typeMismatch, "Person", "photo", "not text"),
        ("name CONTAINS 5", .typeMismatch, "Person", nil, "not text"),
        ("boss == 'x'", .typeMismatch, "Person", "boss", "an object"),
        ("boss > SELF", .typeMismatch, "Person", nil, "order"),
        ("name == age", .typeMismatch, "Person", "name", "Person.age"),
        ("1 == 'a'", .typeMismatch, "Person", nil, "types differ"),
        ("cars.@count == 'x'", .typeMismatch, "Person", "cars", "a count"),
        ("age == {1, 2}", .typeMismatch, "Person", nil, "collection"),
        ("age > $MIN", .unboundVariable, "Person", nil, "$MIN"),
        ("passing == 'x'", .notStored, "Person", "passing", "transient"),
        ("@K == YES", .unknownCollectionOperator, "Person", "@K", "@K"),
        ("name MATCHES '['", .invalidPattern, "Person", nil, "U_REGEX"),
        ("age MATCHES 'a'", .typeMismatch, "Person", "age", "not text"),
        ("age + name == 2", .typeMismatch, "Person", "age", "no result"),
        ("length(age) == 2", .typeMismatch, "Person", "age", "length"),
        ("length(name, age) == 2", .syntax, "Person", nil, "2 arguments"),
        ("cars.@max == 1", .notEvaluable, "Person", "@max", "no attribute"),
        ("cars.@max.maker > 1", .typeMismatch, "Person", "cars", "string"),
        ("cars.@sum.maker > 1", .typeMismatch, "Person", "maker", "no result"),
        ("cars.maker.@count > 1", .notEvaluable, "Person", nil, "@distinctUnionOfObjects"),
        ("cars.@allKeys == 1", .notEvaluable, "Person", "@allKeys", "dictionaries"),
        ("name.@count == 1", .notACollection, "Person", nil, "no collection"),
        ("cars[0].maker == 'x'", .notEvaluable, "Person", "cars", "not ordered"),
        ("cars[age].maker == 'x'", .notEvaluable, "Person", nil, "whole number"),
        ("cars.@distinctUnionOfObjects.maker == 'x'", .quantifierNeeded, "Person", "cars", "ANY"),
        ("cars + 1 == 2", .quantifierNeeded, "Person", "cars", "to-many"),
        ("SUBQUERY(age, $c, $c == 1).@count > 1", .notACollection, "Person", nil, "SUBQUERY"),
        (
            "SUBQUERY(cars, $c, $c.doors > 1).maker == 'x'", .quantifierNeeded, "Person", "cars",
            "ANY"
        ),
        ("FUNCTION(name, 'f') == 'x'", .notEvaluable, "Person", nil, "'f'"),
        ("TERNARY(age == 1, 1, name) == 2", .typeMismatch, "Person", "name", "types differ"),
        ("CAST(age, 'Foo') == 1", .notEvaluable, "Person", nil, "NSDate"),
        ("FETCH(age, nil, NO) == 1", .notEvaluable, "Person", nil, "FETCH"),
        ("(x := 5) == 5", .notEvaluable, "Person", nil, "assign"),
        ("random() == 5", .notEvaluable, "Person", nil, "random"),
        (
            "distanceToLocation:fromLocation:(age, age) < 5", .notEvaluable, "Person", nil,
            "location"
        ),
        ("name UTI-EQUALS 'x'", .notEvaluable, "Person", nil, "UTI-EQUALS"),
        ("boss.entity == name", .notEvaluable, "Person", "entity", "constants"),
    ]

    @Test func `a key that an entity lacks is reported with the entity and the key`() throws {
        let person = try #require(PeopleExample.model().entity(named: "Person"))
        for (format, code, entity, key, mention) in Self.unsound {
            let predicate = try FetchPredicate(format)
            let error = #expect(throws: FetchPredicateError.self, "\(format)") {
                try predicate.resolved(for: person)
            }
            #expect(error?.code == code, "\(format): \(error as Any)")
            #expect(error?.entity == entity, "\(format): \(error as Any)")
            #expect(error?.key == key, "\(format): \(error as Any)")
            #expect(error?.message.contains(mention) == true, "\(format): \(error as Any)")
            #expect(error?.column != nil, "\(format)")
        }
    }

    /// Each entry has the format and the constant that its right side becomes.
    @Test func `constants take the type of what they are compared with`() throws {
        let person = try #require(PeopleExample.model().entity(named: "Person"))
        let uuid = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        let cases: [(String, PropertyValue)] = [
            ("score == 1", .double(1)), ("age == 1.0", .integer(1)), ("age < 1.5", .double(1.5)),
            ("price == 19.99", .decimal(ExactDecimal("19.99") ?? .zero)),
            ("price == 2", .decimal(ExactDecimal(2))), ("active == YES", .bool(true)),
            ("active == 0", .bool(false)), ("ratio == 0.1", .double(Double(Float(0.1)))),
            ("key == '\(uuid.uuidString)'", .uuid(uuid)), ("home == 'a:b'", .uri("a:b")),
            ("born > CAST(5, 'NSDate')", .date(5)),
            ("score == 9007199254740993", .integer(9_007_199_254_740_993)),
        ]
        for (format, value) in cases {
            let resolved = try FetchPredicate(format).resolved(for: person)
            guard case .comparison(_, _, .constant(let constant), _) = resolved else {
                Issue.record("\(format): \(resolved)")
                continue
            }
            #expect(constant == value, "\(format)")
        }
    }

    @Test(arguments: [
        "ANY SUBQUERY(reports, $r, *).age > 1", "SUBQUERY(reports, $r, *).@count IN {1, 2, 3}",
        "SUBQUERY(reports, $r, *).@count IN {age, 2, 3}",
        "SUBQUERY(reports, $r, *).@count BETWEEN {1, 2}", "'x' IN TERNARY(*, name, email)",
        "SELF IN (SUBQUERY(reports, $r, *) UNION reports)",
        "ANY (reports UNION reports).age > SUBQUERY(reports, $r, *).@count",
        "SUBQUERY(reports UNION reports, $r, *).@count > 1",
    ])
    func `a part inside itself is resolved or refused, however deep`(pattern: String) throws {
        let person = try #require(PeopleExample.model().entity(named: "Person"))
        var format = "age > 1"
        for _ in 0..<29 { format = pattern.replacingOccurrences(of: "*", with: format) }
        let predicate = try FetchPredicate(format)
        do {
            _ = try predicate.resolved(for: person)
        } catch {
            #expect(error.code == .tooComplex, "\(error)")
        }
    }

    @Test func `sort keys are checked`() throws {
        let person = try #require(PeopleExample.model().entity(named: "Person"))
        let cases: [(String, Code)] = [
            ("nosuch", .unknownKey), ("cars", .quantifierNeeded), ("cars.maker", .quantifierNeeded),
            ("boss", .typeMismatch), ("passing", .notStored), ("cars.@sum", .notEvaluable),
        ]
        for (key, code) in cases {
            let error = #expect(throws: FetchPredicateError.self, "\(key)") {
                try FetchSort(key).resolved(for: person)
            }
            #expect(error?.code == code, "\(key): \(error as Any)")
        }
        for key in [
            "age", "boss.name", "cars.@count", "cars.@max.doors", "name.length", "SELF", "self",
        ] {
            _ = try FetchSort(key).resolved(for: person)
        }
    }
}
