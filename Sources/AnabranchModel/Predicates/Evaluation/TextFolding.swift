import Foundation

/// What `[c]` and `[d]` mean, once for memory and SQL.
///
/// Case folding is Unicode's, without a locale: `ß` folds to `ss`. Diacritical marks are dropped
/// after canonical decomposition, so `é` folds to `e` however it was composed; with neither
/// option a text is left as it is, composed or not.
package enum TextFolding {
    package static func fold(_ text: String, options: ComparisonOptions) -> String {
        let options = options.effective
        if options.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? text.lowercased() : text
        }
        var compare: String.CompareOptions = []
        if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
        return text.folding(options: compare, locale: nil)
    }
}

extension ComparisonOptions {
    /// The letters that stand for the options, in the order `c`, `d`, `n`, `l`.
    package var letters: String {
        String(Self.letters.filter { contains($0.1) }.map(\.0))
    }

    /// - Returns: `nil` where a letter is none of the four.
    package init?(letters: String) {
        self = []
        for letter in letters {
            guard let option = Self.letters.first(where: { $0.0 == letter }) else { return nil }
            insert(option.1)
        }
    }
}
