/// One violation of a rule of the package.
struct Violation: Hashable, CustomStringConvertible {
    let path: String
    /// The line number, from 1.
    let line: Int
    /// The error, and what to do about it.
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// A rule that can be checked for each file alone.
protocol FileRule {
    func violations(in file: SourceFile) -> [Violation]
}
