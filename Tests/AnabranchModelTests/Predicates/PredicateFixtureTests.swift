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
}
