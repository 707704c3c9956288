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
        ("name.length == 1", .notARelationship, "Person", "name", "'length'"),
        ("cars.@count.x == 1", .notARelationship, "Person", "cars", "@count"),
        ("cars.maker == 'x'", .quantifierNeeded, "Person", "cars", "ANY"),
        ("'x' == cars.maker", .quantifierNeeded, "Person", "cars", "ANY"),
        ("ANY age > 5", .quantifierNotAllowed, "Person", nil, "to-many"),
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
        ("name MATCHES '['", .notSupportedYet, "Person", nil, "MATCHES"),
        ("age + 1 == 2", .notSupportedYet, "Person", nil, "'+'"),
        ("length(name) == 2", .notSupportedYet, "Person", nil, "'length'"),
        ("name ==[l] 'x'", .notSupportedYet, "Person", nil, "[l]"),
        ("cars.@max.doors > 1", .notSupportedYet, "Person", "@max", "@max"),
        ("price > age", .notSupportedYet, "Person", nil, "decimal"),
        (
            "ANY SUBQUERY(cars, $c, $c.doors > 1).maker == 'x'", .notSupportedYet, "Person", nil,
            "SUBQUERY"
        ),
        ("FUNCTION(name, 'f') == 'x'", .notSupportedYet, "Person", nil, "'f'"),
        ("TERNARY(age == 1, 1, 2) == 2", .notSupportedYet, "Person", nil, "TERNARY"),
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
        let cases: [(String, Value)] = [
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

    @Test func `sort keys are checked`() throws {
        let person = try #require(PeopleExample.model().entity(named: "Person"))
        let cases: [(String, Code)] = [
            ("nosuch", .unknownKey), ("cars", .quantifierNeeded), ("cars.maker", .quantifierNeeded),
            ("boss", .notSupportedYet), ("passing", .notStored), ("cars.@sum", .notSupportedYet),
        ]
        for (key, code) in cases {
            let error = #expect(throws: FetchPredicateError.self, "\(key)") {
                try FetchSort(key).resolved(for: person)
            }
            #expect(error?.code == code, "\(key): \(error as Any)")
        }
        for key in ["age", "boss.name", "cars.@count", "SELF", "self"] {
            _ = try FetchSort(key).resolved(for: person)
        }
    }
}
