import AnabranchModel
import Foundation
import TestSupport
import Testing

struct PredicateFixtureTests {
    private struct Record: Decodable {
        let format: String
        let specs: [String]?
        let inThrows: Bool?
        let expectException: Bool?
        let predicateFormat: String?
        let object: String?
        let evaluates: Bool?
        let args: Arguments

        enum Arguments: Decodable {
            case count(Int)
            case names([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let count = try? container.decode(Int.self) {
                    self = .count(count)
                } else {
                    self = .names(try container.decode([String].self))
                }
            }
        }
    }

    private static func records(_ name: String) throws -> [Record] {
        let text = try String(contentsOf: Fixtures.url(name), encoding: .utf8)
        return try text.split(separator: "\n").map {
            try JSONDecoder().decode(Record.self, from: Data($0.utf8))
        }
    }

    private static func argument(for placeholder: String) -> (any PredicateArgument)? {
        switch placeholder.last {
        case "@": "x"
        case "K": "key"
        case "f", "F", "e", "E", "g", "G": 1.5
        default: 1
        }
    }

    /// Refused formats: text that is no predicate, two signs that no grammar has, and one key that
    /// is a variable, which only Cappuccino reads.
    private static let unreadable: Set<String> = [
        "$record.$age = 34", "SELF like[c] %@?%@", "1", "TRUE", "state == %lud", "%K", "%K ", "...",
        "age", "sdlfjasdflj", "age * 25", ",", "()",
        "SELF isKindOfClass:$myClass AND NOT class = $myClass",
    ]

    @Test(.needsFixtures) func `formats of real programs are read`() throws {
        let records = try Self.records("predicates.jsonl")
        #expect(records.count == 860)
        var refused: [String] = []
        for record in records {
            let arguments = (record.specs ?? []).map(Self.argument)
            do {
                let predicate = try FetchPredicate(format: record.format, arguments: arguments)
                #expect(try FetchPredicate(predicate.predicateFormat) == predicate)
            } catch {
                refused.append(record.format)
            }
        }
        #expect(refused.count == 14)
        #expect(Set(refused) == Self.unreadable)
    }

    @Test(.needsFixtures) func `recorded results of NSPredicate agree`() throws {
        let graph = try PeopleExample.graph()
        let subject = try #require(graph.subject(1))
        var (printed, evaluated) = (0, 0)
        for record in try Self.records("predicate-results.jsonl") {
            guard case .names(let names) = record.args, names.isEmpty else { continue }
            guard record.expectException != true else {
                #expect(throws: FetchPredicateError.self) { try FetchPredicate(record.format) }
                continue
            }
            let predicate = try FetchPredicate(record.format)
            if let format = record.predicateFormat, !format.contains("\"a\"") {
                let canonical = format.replacingOccurrences(of: " ,", with: ",")
                #expect(predicate.predicateFormat == canonical)
                printed += 1
            }
            // The other records need objects that are not recorded.
            guard let answer = record.evaluates, record.object == "nil",
                let resolved = try? predicate.resolved(for: subject.row.entity)
            else { continue }
            #expect(try resolved.evaluate(with: subject) == answer, "\(record.format)")
            evaluated += 1
        }
        #expect(printed == 10)
        #expect(evaluated == 24)
    }

    /// Formats that no model can have, by what the error says: their number, and the reason.
    private static let unresolvable: [(mention: String, count: Int)] = [
        // Predicates of fetched properties: their source is not given here.
        ("$FETCH_SOURCE has no value", 2),
        // A variable with an object as its value, of which a property is asked.
        ("begins with a value", 1),
        // The subject is a text, a number or an array, and not an object.
        ("SELF (an object)", 22), ("the object itself is no collection", 4),
        // Realm's dictionaries, and its lists of numbers and texts: a relationship has objects.
        ("neither side is to-many", 38), ("is no whole number from 0", 18),
        ("because no attribute follows it", 14), ("a computed object", 5), ("is no collection", 1),
        // Methods of Foundation.
        ("a store has no methods", 6),
        // Wrong in every language.
        ("because their types differ", 2), ("which is a number", 4), ("with a single value", 2),
        ("with 2 arguments", 1),
    ]

    /// Values for the placeholders `%@` and the variables of a format, of which one fits mostly.
    private static var choices: [(any PredicateArgument)?] {
        let object = PredicateConstant.object(PredicateObjectReference(record: 1, store: 1))
        return [
            "x", 1, ["x", "y"], [1, 2], 1.5, nil, object, PredicateConstant.collection([object]),
        ]
    }

    private static func refusal(of record: Record) throws -> FetchPredicateError? {
        var first: FetchPredicateError?
        for choice in choices {
            let arguments = (record.specs ?? []).enumerated().map { place, placeholder in
                switch placeholder.last {
                case "@": choice
                case "K": "key\(place)"
                default: argument(for: placeholder)
                }
            }
            var variables: [String: (any PredicateArgument)?] = [:]
            for name in ["a", "b", "x", "letter", "SEARCH_WORD", "record", "myClass"] {
                variables.updateValue(choice, forKey: name)
            }
            do {
                let predicate = try FetchPredicate(format: record.format, arguments: arguments)
                    .substituting(variables)
                let entity = try #require(try InferredModel(predicate).made())
                _ = try predicate.resolved(for: entity)
                return nil
            } catch let error as FetchPredicateError { first = first ?? error }
        }
        return first
    }

    @Test(.needsFixtures)
    func `formats of real programs are resolved against models made for them`() throws {
        var counts = Self.unresolvable.map { _ in 0 }
        var resolved = 0
        for record in try Self.records("predicates.jsonl") {
            guard !Self.unreadable.contains(record.format) else { continue }
            guard let error = try Self.refusal(of: record) else {
                resolved += 1
                continue
            }
            let place = Self.unresolvable.firstIndex { error.message.contains($0.mention) }
            let reason = try #require(place, "\(record.format): \(error.message)")
            counts[reason] += 1
        }
        #expect(counts == Self.unresolvable.map(\.count))
        #expect(resolved == 726)
    }
}
