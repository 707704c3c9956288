import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of validation rules: how the model reads, stores and applies them.
struct ValidationRuleTests {
    private func failures(
        _ type: AttributeType, _ formats: String..., by value: PropertyValue
    ) throws -> [String] {
        let rules = formats.map { ValidationRule($0) }
        let model = try ManagedObjectModel {
            EntityDeclaration("A") { AttributeDeclaration("x", type, validations: rules) }
        }
        return try model.attribute("A", "x").violations(by: value).map { violation in
            guard case .failedRule(let rule) = violation else { return "\(violation)" }
            return rule.predicateFormat
        }
    }

    private func holds(_ format: String, _ value: PropertyValue, _ type: AttributeType) throws
        -> Bool
    {
        try failures(type, format, by: value).isEmpty
    }

    @Test(
        arguments: [
            ("SELF >= 3", 3, true), ("SELF >= 3", 2, false), ("3 <= SELF", 2, false),
            ("SELF BETWEEN {1, 4}", 4, true), ("SELF BETWEEN {1, 4}", 5, false),
            ("SELF IN {1, 3}", 3, true), ("NOT SELF IN {1, 3}", 3, false),
            ("SELF > 1 AND SELF < 3", 2, true), ("SELF < 1 OR SELF > 3", 2, false),
            ("TRUEPREDICATE", 2, true), ("FALSEPREDICATE", 2, false), ("SELF != nil", 2, true),
        ] as [(String, Int64, Bool)])
    func `a rule compares a number`(format: String, number: Int64, isRight: Bool) throws {
        #expect(try holds(format, .integer(number), .integer32) == isRight)
    }

    @Test(
        arguments: [
            ("length >= 2", "ab", true), ("length >= 2", "a", false),
            ("SELF.length == 2", "😀", true), ("SELF BEGINSWITH[c] 'A'", "abc", true),
            ("SELF LIKE 'a*c'", "abd", false), ("SELF MATCHES '[a-c]+'", "abc", true),
            ("SELF MATCHES '[a-c]+'", "abcd", false), ("SELF MATCHES[c] 'abc'", "ABC", true),
            ("SELF MATCHES 'abc'", "ABC", false), ("SELF MATCHES[d] 'e+'", "éé", true),
            ("NOT SELF MATCHES 'a'", "b", true),
            ("SELF MATCHES 'a.*' AND NOT SELF MATCHES '.*z'", "abz", false),
        ] as [(String, String, Bool)])
    func `a rule looks at a text`(format: String, text: String, isRight: Bool) throws {
        #expect(try holds(format, .string(text), .string) == isRight)
        #expect(try holds(format, .uri(text), .uri) == isRight)
    }

    @Test func `a rule takes the type of its attribute`() throws {
        let tenth = try #require(ExactDecimal("0.1"))
        #expect(try holds("SELF == 0.1", .decimal(tenth), .decimal))
        #expect(try holds("SELF == 0.1", .double(Double(Float(0.1))), .float))
        #expect(try holds("SELF == YES", .bool(true), .boolean))
        #expect(try !holds("SELF > CAST(5, 'NSDate')", .date(5), .date))
    }

    @Test func `every rule is asked, in its order, and a missing value is asked none`() throws {
        #expect(
            try failures(.integer16, "SELF > 5", "SELF < 3", "SELF != 4", by: 4)
                == ["SELF > 5", "SELF < 3", "SELF != 4"])
        #expect(try failures(.integer16, "SELF > 5", by: .null) == [])
    }

    @Test func `a double that is not a number violates every bound and is no date`() throws {
        func violations(_ attribute: AttributeDeclaration, _ value: PropertyValue) throws
            -> [ValueViolation]
        {
            try ManagedObjectModel { EntityDeclaration("A") { attribute } }.attribute("A", "x")
                .violations(by: value)
        }
        let nan = PropertyValue.double(.nan)
        #expect(
            try violations(AttributeDeclaration("x", .double, minimum: 0), nan) == [.belowMinimum])
        #expect(
            try violations(AttributeDeclaration("x", .double, maximum: 0), nan) == [.aboveMaximum])
        #expect(try violations(AttributeDeclaration("x", .double), nan) == [])
        #expect(try violations(AttributeDeclaration("x", .date), .date(.nan)) == [.invalidDate])
        #expect(try violations(AttributeDeclaration("x", .date), .date(.infinity)) == [])
    }

    @Test(
        arguments: [
            (.integer16, "SELF >= 'a'"), (.integer16, "SELF MATCHES '1'"), (.string, "SELF > 3"),
            (.integer16, "length > 2"), (.string, "other == 'a'"), (.string, "x == 'a'"),
            (.string, "SELF MATCHES '('"), (.string, "SELF =="), (.string, "SELF == %@"),
            (.string, "SELF == $x"), (.string, ""), (.string, "SELF MATCHES 3"),
            (.boolean, "ANY SELF == 1"), (.uuid, "SELF.@count > 1"),
        ] as [(AttributeType, String)])
    func `a rule that does not fit the attribute is refused with its place`(
        type: AttributeType, format: String
    ) throws {
        let error = try refusal {
            EntityDeclaration("A") { AttributeDeclaration("x", type, validations: [.init(format)]) }
        }
        #expect(error.code == .invalidPredicate && error.entity == "A" && error.property == "x")
        #expect(error.message.contains("'\(format)'"), "\(error)")
    }

    @Test(
        arguments: [
            ("many", "age > 3"), ("many", "@sum.nothing > 3"), ("many", "ANY SELF.nothing == 1"),
            ("one", "nothing == 1"), ("one", "SELF.@count > 1"), ("one", "age =="),
        ])
    func `a rule that does not fit the relationship is refused with its place`(
        name: String, format: String
    ) throws {
        let error = try refusal {
            EntityDeclaration("A") {
                AttributeDeclaration("age", .integer16)
                RelationshipDeclaration(
                    "one", to: "A", inverse: "many",
                    validations: name == "one" ? [.init(format)] : [])
                RelationshipDeclaration(
                    "many", toMany: "A", inverse: "one",
                    validations: name == "many" ? [.init(format)] : [])
            }
        }
        #expect(error.code == .invalidPredicate && error.entity == "A" && error.property == name)
    }

    @Test func `rules are part of a model's bytes, and only where there are any`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("A") {
                AttributeDeclaration(
                    "x", .integer16,
                    validations: [.init("SELF > 1", warning: "w"), .init("SELF < 9")])
                RelationshipDeclaration("many", toMany: "A", validations: [.init("@count > 1")])
            }
        }
        #expect(model.canonicalEncoding.hexadecimal == Self.golden)
        let decoded = try ManagedObjectModel(
            canonicalEncoding: try #require([UInt8](hexadecimal: Self.golden)))
        #expect(decoded == model && decoded.declaration == model.declaration)
        let swapped = try ManagedObjectModel {
            EntityDeclaration("A") {
                AttributeDeclaration(
                    "x", .integer16,
                    validations: [.init("SELF < 9"), .init("SELF > 1", warning: "w")])
                RelationshipDeclaration("many", toMany: "A", validations: [.init("@count > 1")])
            }
        }
        #expect(swapped != model)
    }

    private static let golden =
        "41424d01025501014102014107270101780201780302c8010400100d010853454c46203e2031020177100a"
        + "010853454c46203c2039082401046d616e7902046d616e79030141040005000901020e0c010a40636f756e"
        + "74203e2031"

    @Test func `rules make no other property of the wire`() throws {
        func model(_ rules: [ValidationRule]) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                EntityDeclaration("A") {
                    AttributeDeclaration("x", .integer16, validations: rules)
                    RelationshipDeclaration("many", toMany: "A")
                }
            }
        }
        let (with, without) = (try model([.init("SELF > 1")]), try model([]))
        #expect(
            try with.attribute("A", "x").wireProperty == without.attribute("A", "x").wireProperty)
    }
}
