/// A form in which an input writes numbers, with a decimal separator and groups of digits.
///
/// The other one of point and comma, a space (U+0020, U+00A0, U+202F) or an apostrophe may group
/// the digits before the decimal separator, in threes.
struct NumberForm {
    private let decimal: Character

    static let point = NumberForm(decimal: ".")
    static let comma = NumberForm(decimal: ",")

    private init(decimal: Character) { self.decimal = decimal }

    /// Reads the decimal separator from an option.
    ///
    /// - Throws: ``UsageError`` for a text that is neither a point nor a comma.
    init(_ text: String, _ arguments: ParsedArguments) throws(UsageError) {
        guard text == "." || text == ",", let character = text.first else {
            throw arguments.error("--decimal is a comma or a point, not '\(text)'.")
        }
        decimal = character
    }

    /// The text in the form that ``ValueText`` reads.
    ///
    /// - Returns: `nil` for a number with groups of digits that this form does not have. A text
    ///   that is no number stays as it is, or becomes another text that is none.
    func canonical(_ text: String) -> String? {
        let body = text.prefix { $0 != "e" && $0 != "E" }
        let parts = body.split(separator: decimal, omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first else { return nil }
        let sign = first.prefix { $0 == "-" || $0 == "+" }
        guard let digits = Self.ungrouped(first[sign.endIndex...]) else { return nil }
        return sign + digits + (parts.count == 2 ? "." + parts[1] : "")
            + text[body.endIndex...]
    }

    /// A number in the form of JSON, which has a decimal point, in this form.
    func text(ofNumber number: String) -> String {
        number.replacing(".", with: String(decimal))
    }

    private static let separators: Set<Character> = [
        ".", ",", " ", "\u{A0}", "\u{202F}", "'", "\u{2019}",
    ]

    /// The digits without the separators between groups; `nil` if a group has not three digits.
    ///
    /// The first group has one to three digits and no leading zero: a text such as `0.125` has a
    /// decimal separator of the other kind.
    private static func ungrouped(_ text: Substring) -> String? {
        guard let separator = text.first(where: separators.contains) else { return String(text) }
        let groups = text.split(separator: separator, omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let areDigits = groups.allSatisfy { $0.utf8.allSatisfy { digits.contains($0) } }
        guard areDigits, let first = groups.first, (1...3).contains(first.count),
            first.first != "0", groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return groups.joined()
    }
}
