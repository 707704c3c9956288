/// One place where the package breaks one of its own rules.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    /// What is wrong and what to do about it.
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// A fence that one file can break by itself.
protocol FileRule {
    func violations(in file: SourceFile) -> [Violation]
}
