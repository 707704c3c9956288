import AnabranchModel
package import AnabranchSQLite

/// The SQL functions that compiled predicates call; every connection that fetches needs them.
package enum PredicateFunctions {
    /// Defines `ab_fold(text, options)` and `ab_like(text, pattern, options)`.
    ///
    /// The options are the letters that follow an operator, such as `'cd'`. The result for a
    /// missing text is missing.
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

/// A pattern that SQLite keeps between the rows of a statement. Its options are a literal in the
/// same statement, so they are the same for all rows.
private final class ReadPattern {
    let pattern: LikePattern

    init(_ pattern: LikePattern) { self.pattern = pattern }
}
