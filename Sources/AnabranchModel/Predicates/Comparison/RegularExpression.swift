import CICU
import Foundation

/// A regular expression that must match a whole text, in the syntax of ICU.
///
/// The steps of a search and its memory are limited, and so are the steps of all searches of a
/// fetch, so no pattern can hold up a fetch. The limits count steps instead of seconds, so texts
/// and a pattern give the same result on every machine.
package final class RegularExpression: Sendable {
    /// The pattern as it was given.
    package let pattern: String
    /// The options: `c` and `d` have an effect.
    package let options: ComparisonOptions
    private let compiled: CompiledPattern

    /// Compiles a pattern.
    ///
    /// - Throws: ``FetchPredicateError`` with code `invalidPattern` and ICU's name of the problem.
    package init(_ pattern: String, options: ComparisonOptions = []) throws(FetchPredicateError) {
        self.pattern = pattern
        self.options = options.effective.withoutLocale
        compiled = try CompiledPattern(pattern, self.options)
    }

    /// Returns true if the expression matches the whole text.
    ///
    /// - Throws: ``FetchPredicateError`` with code `tooComplex` if the search takes too many steps
    ///   or too much memory.
    package func matches(_ text: String) throws(FetchPredicateError) -> Bool {
        try RegularExpressionMatcher(self).matches(text)
    }

    fileprivate var folding: ComparisonOptions { options.intersection(.diacriticInsensitive) }

    fileprivate func copy(_ status: inout cicu_status) -> OpaquePointer? {
        cicu_regex_copy(compiled.regex, &status)
    }

    fileprivate func tooComplex(_ status: cicu_status) -> FetchPredicateError {
        FetchPredicateError(
            .tooComplex,
            "Can't match a text with the regular expression \(FormatText.string(pattern)) because "
                + "the search takes too many steps (\(status.name)). Write it without repetitions "
                + "inside repetitions, such as (a+)+, and with fewer repetitions of everything, "
                + "such as (.*)(.*).")
    }
}

extension RegularExpression: Hashable {
    /// Returns true for equal patterns with equal options.
    package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        left.pattern == right.pattern && left.options == right.options
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(pattern) }
}

/// A pattern that ICU has compiled, from which searches copy their matchers.
///
/// It is never changed, and ICU counts the copies atomically.
private final class CompiledPattern: @unchecked Sendable {
    let regex: OpaquePointer

    init(_ pattern: String, _ options: ComparisonOptions) throws(FetchPredicateError) {
        let folding = options.intersection(.diacriticInsensitive)
        // ICU refuses the empty pattern, which matches the empty text.
        let text = pattern.isEmpty ? "(?:)" : TextFolding.fold(pattern, options: folding)
        let units = Array(text.utf16)
        var status: cicu_status = 0
        guard let count = Int32(exactly: units.count),
            let regex = cicu_regex_open(
                units, count, options.contains(.caseInsensitive), &status), status.isSuccess
        else {
            throw FetchPredicateError(
                .invalidPattern,
                "Can't read the regular expression \(FormatText.string(pattern)): "
                    + "\(status.name).")
        }
        self.regex = regex
    }

    deinit { cicu_regex_close(regex) }
}

/// The steps that all searches of one fetch may take together, for one thread at a time.
///
/// A search counts a step for every 10,000 positions that it has to remember.
package final class SearchBudget {
    /// 200 million positions, some seconds of work.
    private static let stepCount: Int64 = 20_000

    fileprivate let rest: UnsafeMutablePointer<Int64>

    package init() {
        rest = .allocate(capacity: 1)
        rest.initialize(to: Self.stepCount)
    }

    deinit { rest.deallocate() }
}

/// The state of searches with one regular expression, for one thread at a time.
package final class RegularExpressionMatcher {
    /// ICU counts a step of the limit for every 10,000 positions that the search has to remember.
    private static let greatestStepCount: Int32 = 200
    /// The greatest memory of one search, in bytes.
    private static let greatestStackSize: Int32 = 8 << 20

    private let expression: RegularExpression
    private let regex: OpaquePointer
    private let budget: SearchBudget

    /// - Parameter budget: The steps that are left, which other matchers may use too.
    /// - Throws: ``FetchPredicateError`` with code `tooComplex` if there is no memory.
    package init(
        _ expression: RegularExpression, budget: SearchBudget = SearchBudget()
    ) throws(FetchPredicateError) {
        var status: cicu_status = 0
        guard let regex = expression.copy(&status) else { throw expression.tooComplex(status) }
        cicu_regex_limit(regex, Self.greatestStepCount, Self.greatestStackSize, &status)
        cicu_regex_share_steps(regex, budget.rest, &status)
        self.expression = expression
        self.budget = budget
        self.regex = regex
    }

    deinit { cicu_regex_close(regex) }

    /// Returns true if the expression matches the whole text.
    ///
    /// - Throws: ``FetchPredicateError`` with code `tooComplex` if the search takes too many steps
    ///   or too much memory.
    package func matches(_ text: String) throws(FetchPredicateError) -> Bool {
        // A zero behind the text gives an empty text an address.
        let units = Array(TextFolding.fold(text, options: expression.folding).utf16) + [0]
        var status: cicu_status = 0
        guard let count = Int32(exactly: units.count - 1) else {
            throw expression.tooComplex(status)
        }
        let isMatch = units.withUnsafeBufferPointer { units in
            guard let start = units.baseAddress else { return false }
            return cicu_regex_matches(regex, start, count, &status)
        }
        guard status.isSuccess else { throw expression.tooComplex(status) }
        return isMatch
    }
}

extension cicu_status {
    /// False for errors; warnings are negative.
    fileprivate var isSuccess: Bool { self <= 0 }

    /// ICU's name of the status.
    fileprivate var name: String { String(cString: cicu_status_name(self)) }
}
