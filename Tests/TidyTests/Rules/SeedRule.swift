/// A rule: a random test takes its seeds from `TestLength`, so that a quick run has few of them
/// and one can be repeated.
struct SeedRule: FileRule {
    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.isIn(["Tests"]) else { return [] }
        return file.text.matches(of: Self.testOfARange).map { test in
            Violation(
                path: file.path,
                line: file.text[..<test.range.lowerBound].count { $0 == "\n" } + 1,
                message: "A random test has seeds of its own. Use TestLength.seeds(COUNT).")
        }
    }

    /// A test with a range of numbers among its arguments, and with a function that takes a seed.
    private static var testOfARange: Regex<Substring> {
        /@Test\([^`@]*\b\d+\.\.[.<]\d+[^`@]*\)\s+(?:private )?func `[^`]+`\([^)]*\bseed: UInt64/
    }
}
