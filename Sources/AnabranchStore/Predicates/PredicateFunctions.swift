import AnabranchModel
package import AnabranchSQLite

/// The SQL functions that predicates compile to; every connection that fetches needs them.
package enum PredicateFunctions {
    /// Defines `ab_fold(text, options)` and `ab_like(text, pattern, options)`, where the options
    /// are letters as after an operator: `'cd'`. A missing text gives a missing answer.
    package static func define(on connection: Connection) throws {
        try connection.createFunction(
            "ab_fold", argumentCount: 2, traits: [.deterministic, .innocuous]
        ) { arguments in
            guard !arguments.isNull(at: 0) else { return .null }
            let options = ComparisonOptions(letters: arguments.string(at: 1)) ?? []
            return .text(TextFolding.fold(arguments.string(at: 0), options: options))
        }
        try connection.createFunction(
            "ab_like", argumentCount: 3, traits: [.deterministic, .innocuous]
        ) { arguments in
            guard !arguments.isNull(at: 0), !arguments.isNull(at: 1) else { return .null }
            let pattern = arguments.derived(from: 1) {
                let options = ComparisonOptions(letters: arguments.string(at: 2)) ?? []
                return ReadPattern(LikePattern(arguments.string(at: 1), options: options))
            }
            return .integer(pattern.pattern.matches(arguments.string(at: 0)) ? 1 : 0)
        }
    }
}

/// A pattern that SQLite keeps between the rows of a statement; its options are a literal beside
/// it, so they cannot differ.
private final class ReadPattern {
    let pattern: LikePattern

    init(_ pattern: LikePattern) { self.pattern = pattern }
}
