import Foundation

/// A rule: every test that a document names exists.
///
/// A reference is code in a document: the name of the suite's file, a slash, and the test's name.
struct TestReferenceRule {
    /// The names of the tests, by the name of their file.
    private let tests: [String: Set<String>]

    init(files: [SourceFile]) {
        var tests: [String: Set<String>] = [:]
        for file in files where file.isSwift && file.isIn(["Tests"]) {
            let suite = file.components.last?.dropLast(".swift".count) ?? ""
            let names = file.text.matches(of: /func `([^`]+)`/).map { String($0.1) }
            tests[String(suite), default: []].formUnion(names)
        }
        self.tests = tests
    }

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isDocument else { return [] }
        return file.lines.enumerated().flatMap { index, line in
            Self.references(in: line).compactMap { suite, name in
                guard tests[suite]?.contains(name) != true else { return nil }
                return Violation(
                    path: file.path, line: index + 1,
                    message: "There is no test \(name) in \(suite). Correct the name.")
            }
        }
    }

    static func references(in line: some StringProtocol) -> [(suite: String, test: String)] {
        String(line).matches(of: /`(\w+Tests)\/([^`]+)`/).map { (String($0.1), String($0.2)) }
    }
}

/// A rule: a table with numbered rows is complete, and each row names a test or says that none is
/// needed.
struct ScenarioTableRule {
    let path: String
    let count: Int
    /// The beginning of a row's last cell if its subject is not built.
    static let notBuilt = "not built"

    func violations(in file: SourceFile) -> [Violation] {
        guard file.path == path else { return [] }
        var rows: [Int: (line: Int, cell: Substring)] = [:]
        for (index, line) in file.lines.enumerated() {
            guard let row = line.wholeMatch(of: /\| (\d+) \|.*\| ([^|]*) \|/) else { continue }
            rows[Int(row.1) ?? 0] = (index + 1, row.2)
        }
        let missing = (1...count).filter { rows[$0] == nil }.map {
            Violation(path: path, line: 1, message: "Scenario \($0) is missing. Add its row.")
        }
        let untold = rows.values.filter { row in
            TestReferenceRule.references(in: row.cell).isEmpty
                && !row.cell.hasPrefix(Self.notBuilt)
        }
        return missing
            + untold.map {
                Violation(path: path, line: $0.line, message: "The row names no test. Name one.")
            }
    }
}
