import Foundation

/// A regular expression that must match a whole text, as validations require.
struct WholeTextExpression: Sendable {
    private let expression: NSRegularExpression
    private let folding: ComparisonOptions

    /// Compiles a pattern; `nil` if it cannot be read, by itself or anchored at both ends.
    ///
    /// - Parameter options: Only `c` and `d` have an effect.
    init?(_ pattern: String, options: ComparisonOptions = []) {
        let options = options.effective
        folding = options.intersection(.diacriticInsensitive)
        let pattern = TextFolding.fold(pattern, options: folding)
        let flags: NSRegularExpression.Options =
            options.contains(.caseInsensitive) ? .caseInsensitive : []
        guard (try? NSRegularExpression(pattern: pattern)) != nil,
            let anchored = try? NSRegularExpression(
                pattern: "\\A(?:\(pattern))\\z", options: flags)
        else { return nil }
        expression = anchored
    }

    func matches(_ text: String) -> Bool {
        let text = TextFolding.fold(text, options: folding)
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, range: whole) != nil
    }
}
