import Anabranch

/// Times that an input writes as a number of seconds or milliseconds.
enum TimeCount: String, CaseIterable {
    case secondsSince1970 = "seconds-since-1970"
    case secondsSince2001 = "seconds-since-2001"
    case millisecondsSince1970 = "milliseconds-since-1970"

    /// The unit and the beginning of the count, for messages.
    var words: String {
        switch self {
        case .secondsSince1970: "seconds since 1970"
        case .secondsSince2001: "seconds since 2001"
        case .millisecondsSince1970: "milliseconds since 1970"
        }
    }

    /// Reads a number, without rounding.
    ///
    /// - Parameter text: A number in decimal digits with at most 38 of them, perhaps with a
    ///   fraction or an exponent.
    ///
    /// - Returns: `nil` for any other text, and for a number beyond the years 1 to 9999.
    func time(of text: String) -> ExactSeconds? {
        guard let number = ExactDecimal(text) else { return nil }
        let places = (self == .millisecondsSince1970 ? 3 : 0) - Int(number.exponent)
        var digits = String(number.digits)
        if places < 0 {
            digits += String(repeating: "0", count: -places)
        } else {
            digits = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
        }
        // Int can hold fewer digits than a number of a hundred places has.
        guard let whole = Int(digits.dropLast(max(places, 0))), whole < 1 << 48 else { return nil }
        let seconds =
            ExactSeconds(
                isNegative: number.isNegative, whole: whole,
                fraction: String(digits.suffix(max(places, 0))))
            + (self == .secondsSince2001 ? 0 : ExactSeconds.from2001To1970)
        return ExactSeconds.years.contains(seconds.whole) ? seconds : nil
    }
}
