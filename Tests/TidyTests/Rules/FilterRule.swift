import Foundation

/// A rule: each pattern that a script or a document gives to `--filter` selects a test.
///
/// Words in capitals stand for a pattern, and a pattern with a variable is not known here.
struct FilterRule {
    /// The tests as `swift test --filter` names them: module, suite and function.
    private let tests: [String]

    init(files: [SourceFile]) {
        tests = files.filter { $0.isSwift && $0.isIn(["Tests"]) }.flatMap { file in
            let suite = file.components.last?.dropLast(".swift".count) ?? ""
            let place = "\(file.components.dropFirst().first ?? "").\(suite)/"
            return file.text.matches(of: /func `([^`]+)`/).map { place + $0.1 }
        }
    }

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isDocument || file.isIn(["Scripts"]) else { return [] }
        return file.lines.enumerated().flatMap { index, line in
            Self.patterns(in: line).compactMap { pattern in
                guard !selectsTest(pattern) else { return nil }
                return Violation(
                    path: file.path, line: index + 1,
                    message: "No test matches --filter \(pattern). Correct the pattern.")
            }
        }
    }

    private static func patterns(in line: Substring) -> [String] {
        let quoted = line.matches(of: /--filter '([^'$]+)'/).map { String($0.1) }
        let plain = line.matches(of: /--filter ([A-Za-z][A-Za-z.]+)/).map { String($0.1) }
        return (quoted + plain).filter { $0 != $0.uppercased() }
    }

    private func selectsTest(_ pattern: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return tests.contains { $0.firstMatch(of: regex) != nil }
    }
}
