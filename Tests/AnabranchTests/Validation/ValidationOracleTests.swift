import Anabranch
import Foundation
import TestSupport
import Testing

/// Tests that a save reports the errors of a reference model that has no predicates, plans and
/// slots, for random rules and random values.
@Suite struct `Validation against a reference` {
    @Test(arguments: TestLength.seeds(24))
    func `a save says what the reference says`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let demands = RandomDemands(&generator)
        let league = try League(try demands.model())
        try league.inContext { context throws in
            for _ in 0..<12 {
                let thing = try context.insert("Thing")
                var values = demands.values(&generator)
                var parts = Int.random(in: 0...4, using: &generator)
                try apply(values, parts, to: thing, in: context)
                try check(context, demands.failures(values, parts: parts), "\(values), \(parts)")
                guard !context.hasChanges else {
                    context.rollback()
                    continue
                }
                var written = demands.values(&generator)
                for name in written.keys where generator.oneIn(2) { written[name] = nil }
                let moves = generator.oneIn(2)
                if moves { parts = Int.random(in: 0...4, using: &generator) }
                try apply(written, moves ? parts : nil, to: thing, in: context)
                values.merge(written) { $1 }
                try check(context, demands.failures(values, parts: parts), "then \(written)")
                context.rollback()
            }
        }
    }

    private func check(
        _ context: ManagedObjectContext, _ expected: [String], _ comment: Comment
    ) throws {
        let failures = context.failures().map { failure in
            let rule = failure.predicate.map { " " + $0.predicateFormat } ?? ""
            return "\(failure.property ?? "") \(failure.code.rawValue)\(rule)"
        }
        #expect(failures == expected, comment)
        #expect(context.hasChanges == !expected.isEmpty)
    }

    private func apply(
        _ values: [String: PropertyValue], _ parts: Int?, to thing: ManagedObject,
        in context: ManagedObjectContext
    ) throws {
        for (name, value) in values { try thing.setValue(value, forKey: name) }
        guard let parts else { return }
        let set = try thing.objects(forKey: "parts")
        while set.count > parts, let last = set.objects.last { set.remove(last) }
        while set.count < parts { set.insert(try context.insert("Part")) }
    }
}

/// The validation rules of a random model.
private struct RandomDemands {
    /// A rule, and its meaning in the reference model.
    private struct Rule {
        let format: String
        let holds: @Sendable (PropertyValue) -> Bool
    }

    private struct Field {
        var attribute: AttributeDeclaration
        var pattern: (@Sendable (String) -> Bool)?
        var rules: [Rule] = []
    }

    private var fields: [Field] = []
    private let parts: RelationshipDeclaration

    init(_ generator: inout SeededGenerator) {
        let types: [AttributeType] = [.integer16, .integer64, .double, .decimal, .string, .date]
        for number in 0..<Int.random(in: 1...6, using: &generator) {
            let type = types[Int.random(in: 0..<types.count, using: &generator)]
            fields.append(Self.field("a\(number)", type, &generator))
        }
        let least = Int.random(in: 0...3, using: &generator)
        parts = RelationshipDeclaration(
            "parts", toMany: "Part", optional: generator.oneIn(2), minCount: least,
            maxCount: generator.oneIn(2)
                ? max(least, 1) + Int.random(in: 0...1, using: &generator) : nil, inverse: "thing")
    }

    func model() throws -> ManagedObjectModel {
        var thing = EntityDeclaration("Thing")
        thing.attributes = fields.map(\.attribute)
        thing.relationships = [parts]
        let part = EntityDeclaration("Part") {
            RelationshipDeclaration("thing", to: "Thing", inverse: "parts")
        }
        return try ManagedObjectModel(entities: [thing, part])
    }

    private static func field(
        _ name: String, _ type: AttributeType, _ generator: inout SeededGenerator
    ) -> Field {
        var field = Field(attribute: AttributeDeclaration(name, type, optional: generator.oneIn(2)))
        field.attribute.isTransient = generator.oneIn(6)
        let least = Int64.random(in: 0...4, using: &generator)
        let most = least + Int64.random(in: 0...4, using: &generator)
        if generator.oneIn(2) { field.attribute.minimum = bound(least, type) }
        if generator.oneIn(2) { field.attribute.maximum = bound(most, type) }
        if type == .string, generator.oneIn(2) {
            let (pattern, meaning) = patterns[Int.random(in: 0..<3, using: &generator)]
            field.attribute.regularExpression = pattern
            field.pattern = meaning
        }
        let known = type == .string ? textRules : type == .date ? [] : numberRules
        field.rules = known.filter { _ in generator.oneIn(3) }
        field.attribute.validations = field.rules.map { ValidationRule($0.format) }
        return field
    }

    private static func bound(_ number: Int64, _ type: AttributeType) -> PropertyValue {
        type == .date ? .date(Double(number)) : .integer(number)
    }

    private static let patterns: [(String, @Sendable (String) -> Bool)] = [
        ("[ab]*", { $0.allSatisfy { "ab".contains($0) } }), ("a.*", { $0.hasPrefix("a") }),
        (".{2}", { $0.count == 2 }),
    ]

    private static let textRules = [
        Rule(format: "length != 3") { $0.text?.count != 3 },
        Rule(format: "NOT SELF ENDSWITH \"c\"") { $0.text?.hasSuffix("c") == false },
        Rule(format: "SELF MATCHES \"b?a*\" OR length > 1") { value in
            let text = value.text ?? ""
            return text.count > 1 || ["", "a", "b"].contains(text)
        },
    ]

    private static let numberRules = [
        Rule(format: "SELF != 3") { $0.number != 3 },
        Rule(format: "SELF < 2 OR SELF > 4") { $0.number < 2 || $0.number > 4 },
        Rule(format: "NOT SELF IN {1, 6}") { $0.number != 1 && $0.number != 6 },
    ]
}

extension RandomDemands {
    func values(_ generator: inout SeededGenerator) -> [String: PropertyValue] {
        var values: [String: PropertyValue] = [:]
        for field in fields {
            let isMissing = generator.oneIn(6)
            let value = Self.value(of: field.attribute.type, &generator)
            values[field.attribute.name] = isMissing ? .null : value
        }
        return values
    }

    private static func value(
        of type: AttributeType, _ generator: inout SeededGenerator
    ) -> PropertyValue {
        let number = Int64.random(in: -1...9, using: &generator)
        switch type {
        case .double: return .double(Double(number) / 2)
        case .decimal: return .decimal(ExactDecimal(number))
        case .date: return .date(Double(number))
        case .string:
            let letters = (0..<max(number / 2, 0)).map { _ in "abc".randomElement(using: &generator)
            }
            return .string(String(letters.compactMap { $0 }))
        default: return .integer(number)
        }
    }

    /// Returns the errors of a thing with these values, by the names of its properties.
    func failures(_ values: [String: PropertyValue], parts count: Int) -> [String] {
        var found = fields.flatMap { field in
            let name = field.attribute.name
            return failures(of: field, values[name] ?? .null).map { "\(name) \($0)" }
        }
        if count == 0, parts.isOptional { return found }
        if count < parts.minCount {
            found.append("parts too-few-objects")
        } else if count == 0 {
            found.append("parts missing-mandatory-property")
        }
        if let most = parts.maxCount, count > most { found.append("parts too-many-objects") }
        return found
    }

    private func failures(of field: Field, _ value: PropertyValue) -> [String] {
        if value.isNull { return field.attribute.isOptional ? [] : ["missing-mandatory-property"] }
        var found: [String] = []
        let isText = field.attribute.type == .string
        let isDate = field.attribute.type == .date
        let size = isText ? Double(value.text?.utf16.count ?? 0) : value.number
        if let minimum = field.attribute.minimum, size < minimum.number {
            found.append(
                isText ? "string-too-short" : isDate ? "date-too-soon" : "number-too-small")
        }
        if let maximum = field.attribute.maximum, size > maximum.number {
            found.append(isText ? "string-too-long" : isDate ? "date-too-late" : "number-too-large")
        }
        if let pattern = field.pattern, let text = value.text, !pattern(text) {
            found.append("pattern-mismatch")
        }
        for rule in field.rules where !rule.holds(value) {
            found.append("failed-rule \(rule.format)")
        }
        return found
    }
}

extension PropertyValue {
    fileprivate var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number), .date(let number): number
        case .decimal(let number): Double("\(number)") ?? 0
        default: 0
        }
    }

    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
