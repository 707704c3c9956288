extension Double {
    /// Reads a number in decimal digits, such as `-12.50`, `.5` or `1e3`, as the nearest double.
    ///
    /// `nan`, `inf` and `infinity`, with or without a sign and in any case, are read too. So the
    /// description of every double gives the same double again, except the payload of a NaN. No
    /// locale has an influence.
    ///
    /// - Returns: `nil` for any other text, such as `0x10`. It is `nil` too for a number that is
    ///   too large for a double, and for one that is not zero but so small that it would become
    ///   zero.
    package init?(decimalText text: String) {
        // The standard library also reads hexadecimal numbers, which have an x, and the payload of
        // a NaN, which is in parentheses.
        let isOther = text.utf8.contains {
            [UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "(")].contains($0)
        }
        guard !isOther, let number = Double(text) else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if number.isInfinite, text.utf8.contains(where: digits.contains) { return nil }
        let significand = text.utf8.prefix {
            $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E")
        }
        let isZero = !significand.contains { $0 != UInt8(ascii: "0") && digits.contains($0) }
        guard number != 0 || isZero else { return nil }
        self = number
    }
}
