import Foundation

/// Folds texts for `[c]` and `[d]`, in memory and in SQL alike.
///
/// Case folding is Unicode's, without a locale: `ß` folds to `ss`. Diacritical marks are removed
/// after canonical decomposition, so composed and decomposed `é` both fold to `e`. Without an
/// option a text stays as it is.
package enum TextFolding {
    package static func fold(_ text: String, options: ComparisonOptions) -> String {
        let options = options.effective.subtracting(.localizedStandard)
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
    /// The options that change how text compares.
    package var effective: ComparisonOptions {
        if contains(.normalized) { return [] }
        let isLocaleSensitive = contains(.localeSensitive)
        return intersection(
            isLocaleSensitive
                ? [.caseInsensitive, .diacriticInsensitive, .localeSensitive, .numeric]
                : [.caseInsensitive, .diacriticInsensitive])
    }

    /// The options of an operator that looks for a part of a text, which has no locale.
    package var withoutLocale: ComparisonOptions { subtracting(.localizedStandard) }

    /// The letters of the options in the order `c`, `d`, `n`, `l`, `s`.
    package var letters: String {
        String(Self.letters.filter { contains($0.1) }.map(\.0))
    }

    /// Reads options from their letters; `nil` if a letter is none of the five.
    package init?(letters: String) {
        self = []
        for letter in letters {
            guard let option = Self.letters.first(where: { $0.0 == letter }) else { return nil }
            insert(option.1)
        }
    }
}
