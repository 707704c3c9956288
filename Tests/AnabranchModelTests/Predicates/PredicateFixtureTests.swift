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
        let args: Arguments
        let dialect: String?

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

    @Test(.needsFixtures) func `formats of real programs are read`() throws {
        let records = try Self.records("predicates.jsonl")
        var unreadable: [String] = []
        for record in records {
            let arguments = (record.specs ?? []).map(Self.argument)
            do {
                let predicate = try FetchPredicate(format: record.format, arguments: arguments)
                #expect(try FetchPredicate(predicate.predicateFormat) == predicate)
            } catch {
                unreadable.append(record.format)
                print("UNREADABLE", record.format, record.dialect ?? "", error)
            }
        }
        print("COUNT", records.count, unreadable.count)
    }

    @Test(.needsFixtures) func `recorded results of NSPredicate agree`() throws {
        for record in try Self.records("predicate-results.jsonl") {
            guard case .names(let names) = record.args else { continue }
            let arguments: [(any PredicateArgument)?] = names.map { $0 }
            let predicate = try? FetchPredicate(format: record.format, arguments: arguments)
            print("RESULT", record.format, record.expectException as Any, predicate?.predicateFormat as Any, record.predicateFormat as Any)
        }
    }
}
