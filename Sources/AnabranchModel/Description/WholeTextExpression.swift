import Foundation

/// A regular expression that has to match a whole text, as attributes are checked.
struct WholeTextExpression: Sendable {
    private let expression: NSRegularExpression

    /// - Returns: `nil` where the pattern cannot be read, by itself or anchored at both ends.
    init?(_ pattern: String) {
        guard (try? NSRegularExpression(pattern: pattern)) != nil,
            let anchored = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
        else { return nil }
        expression = anchored
    }

    func matches(_ text: String) -> Bool {
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, range: whole) != nil
    }
}
