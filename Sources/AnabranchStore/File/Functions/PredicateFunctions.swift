import AnabranchModel
import AnabranchReplication
package import AnabranchSQLite

/// The SQL functions that compiled predicates call; every connection that fetches needs them.
package enum PredicateFunctions {
    /// Defines `ab_fold(text, options)`, `ab_like(text, pattern, options)`,
    /// `ab_begins(text, part)`, `ab_ends(text, part)`, `ab_matches(text, pattern, options)`,
    /// `ab_sort_key(text, options)`, `ab_held(value, type, rule, shown type, otherwise)` and the
    /// functions of computed values.
    ///
    /// The options are the letters that follow an operator, such as `'cd'`; those of a sort key are
    /// a number. The result for a missing text is missing.
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
        for isBeginning in [true, false] {
            try connection.createFunction(
                isBeginning ? "ab_begins" : "ab_ends", argumentCount: 2,
                traits: [.deterministic, .innocuous]
            ) { arguments in
                guard !arguments.isNull(at: 0), !arguments.isNull(at: 1) else { return .null }
                // In UTF-8 no character occurs inside another.
                let holds = arguments.withUTF8(at: 0) { text in
                    arguments.withUTF8(at: 1) { part in
                        (isBeginning ? text.prefix(part.count) : text.suffix(part.count))
                            .elementsEqual(part)
                    }
                }
                return .integer(holds ? 1 : 0)
            }
        }
        try connection.createFunction(
            "ab_matches", argumentCount: 3, traits: [.deterministic, .innocuous]
        ) { arguments in
            guard !arguments.isNull(at: 0), !arguments.isNull(at: 1) else { return .null }
            let matcher = try arguments.derived(from: 1) {
                let options = ComparisonOptions(letters: arguments.string(at: 2)) ?? []
                // The options are a literal, so what is derived from them serves the whole
                // statement, also if every row has a pattern of its own.
                return try RegularExpressionMatcher(
                    RegularExpression(arguments.string(at: 1), options: options),
                    budget: arguments.derived(from: 2) { SearchBudget() })
            }
            return .integer(try matcher.matches(arguments.string(at: 0)) ? 1 : 0)
        }
        try connection.createFunction(
            "ab_sort_key", argumentCount: 2, traits: [.deterministic, .innocuous]
        ) { arguments in
            guard !arguments.isNull(at: 0) else { return .null }
            let options = ComparisonOptions(
                rawValue: UInt8(truncatingIfNeeded: arguments.int64(at: 1)))
            return .blob([UInt8](LocaleOrder.key(of: arguments.string(at: 0), options)))
        }
        try defineHeld(on: connection)
        try ValueFunctions.define(on: connection)
    }

    /// `ab_held` reads the tagged value of a cell in the form of a column. An attribute under
    /// `keepBoth` shows the values of its own cells, and those of its former properties converted.
    /// The result for any other cell is the last argument.
    private static func defineHeld(on connection: Connection) throws {
        try connection.createFunction(
            "ab_held", argumentCount: 5, traits: [.deterministic, .innocuous]
        ) { arguments in
            func property(_ type: Int64, _ rule: Int64) -> WireProperty {
                WireProperty(
                    name: WireName(""), type: WireType(rawValue: UInt8(truncatingIfNeeded: type)),
                    rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: rule)))
            }
            let cell = property(arguments.int64(at: 1), arguments.int64(at: 2))
            let shown = property(arguments.int64(at: 3), Int64(MergeRule.keepBoth.rawValue))
            var reader = ByteReader(arguments.withBytes(at: 0) { [UInt8]($0) })
            let value = try reader.readTagged()
            if cell == shown { return ValueFunctions.column(of: value) }
            guard shown.continues(cell), let widened = shown.type.widened(value, of: cell.type)
            else { return arguments[4] }
            return ValueFunctions.column(of: widened)
        }
    }
}

/// A pattern that SQLite keeps between the rows of a statement. Its options are a literal in the
/// same statement, so they are the same for all rows.
private final class ReadPattern {
    let pattern: LikePattern

    init(_ pattern: LikePattern) { self.pattern = pattern }
}
