// Reads names, strings and numbers, with their escapes.

extension PredicateLexer {
    func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "\\" || Self.isLetter(scalar)
    }

    func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        Self.isPlainNamePart(scalar) || scalar == "\\"
    }

    /// Returns true if the scalar can be in a name without an escape.
    static func isPlainNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || ("0"..."9").contains(scalar) || isLetter(scalar)
            || (!scalar.isASCII && scalar.properties.isIDContinue)
    }

    /// Returns true if the scalar is alphabetic.
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        // The properties of a scalar are found by a search.
        scalar.isASCII
            ? ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            : scalar.properties.isAlphabetic
    }

    mutating func name() throws(FetchPredicateError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = peek(), isNamePart(scalar) {
            if scalar == "\\" {
                guard let escaped = numericEscape() else {
                    throw error(
                        .syntax,
                        "Can't read the name because its escape is none of \\ooo, \\xHH, \\uHHHH.")
                }
                name.append(escaped)
            } else {
                name.append(scalar)
                position += 1
            }
        }
        return String(name)
    }

    mutating func string(closedBy quote: Unicode.Scalar) throws(FetchPredicateError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            if scalar == quote {
                position += 1
                return String(text)
            }
            if scalar == "\\" {
                appendEscape(to: &text)
            } else {
                text.append(scalar)
                position += 1
            }
        }
        throw error(
            .unterminatedString, at: start,
            "Can't read the string because its closing \(quote) is missing.")
    }

    /// Reads an escape sequence.
    ///
    /// An unknown escape keeps its backslash, so that `\*` and `\d` reach LIKE and MATCHES.
    private mutating func appendEscape(to text: inout String.UnicodeScalarView) {
        if let escaped = numericEscape() {
            text.append(escaped)
            return
        }
        position += 1
        let simple: [Unicode.Scalar: Unicode.Scalar] = [
            "n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", "\"": "\"",
        ]
        if let scalar = peek(), let meant = simple[scalar] {
            text.append(meant)
            position += 1
        } else {
            text.append("\\")
        }
    }

    /// Reads `\ooo`, `\xHH` or `\uHHHH`, or two `\uHHHH` that form a surrogate pair.
    private mutating func numericEscape() -> Unicode.Scalar? {
        if let number = digits(at: 1, count: 3, radix: 8), let scalar = Unicode.Scalar(number) {
            position += 4
            return scalar
        }
        if peek(1) == "x", let number = digits(at: 2, count: 2, radix: 16) {
            position += 4
            return Unicode.Scalar(number)
        }
        guard peek(1) == "u", let number = digits(at: 2, count: 4, radix: 16) else { return nil }
        if let scalar = Unicode.Scalar(number) {
            position += 6
            return scalar
        }
        guard (0xD800..<0xDC00).contains(number), peek(6) == "\\", peek(7) == "u",
            let low = digits(at: 8, count: 4, radix: 16), (0xDC00..<0xE000).contains(low)
        else { return nil }
        position += 12
        return Unicode.Scalar(0x10000 + (number - 0xD800) << 10 + (low - 0xDC00))
    }

    private func digits(at distance: Int, count: Int, radix: UInt32) -> UInt32? {
        var number: UInt32 = 0
        for index in 0..<count {
            guard let scalar = peek(distance + index), scalar.isASCII,
                let digit = Character(scalar).hexDigitValue, digit < Int(radix)
            else { return nil }
            number = number * radix + UInt32(digit)
        }
        return number
    }
}

extension PredicateLexer {
    mutating func number() throws(FetchPredicateError) -> PredicateToken.Kind {
        let start = position
        if peek() == "0", let scalar = peek(1), let radix = Self.radixes[scalar] {
            position += 2
            let digits = takeWhile { Character($0).isHexDigit }
            guard let number = UInt64(digits, radix: radix) else {
                throw error(
                    .invalidNumber, at: start, "Can't read the number '0\(scalar)\(digits)'.")
            }
            return integer(String(number))
        }
        var text = takeWhile { ("0"..."9").contains($0) }
        var isInteger = true
        if peek() == ".", let digit = peek(1), ("0"..."9").contains(digit) {
            isInteger = false
            position += 1
            text += "." + takeWhile { ("0"..."9").contains($0) }
        }
        if let exponent = exponent() {
            isInteger = false
            text += exponent
        }
        if let scalar = peek(), isNameStart(scalar) {
            throw error(
                .invalidNumber, at: start,
                "Can't read the number '\(text)' because '\(scalar)' follows it.")
        }
        if isInteger { return integer(text) }
        guard let number = Double(text), number.isFinite else {
            throw error(.invalidNumber, at: start, "Can't hold '\(text)' because it is too large.")
        }
        return .double(number)
    }

    private static let radixes: [Unicode.Scalar: Int] = [
        "x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2,
    ]

    private func integer(_ digits: String) -> PredicateToken.Kind {
        Int64(digits).map { .integer($0) } ?? .largeInteger(digits)
    }

    private mutating func exponent() -> String? {
        guard peek() == "e" || peek() == "E" else { return nil }
        let isSigned = peek(1) == "+" || peek(1) == "-"
        guard let digit = peek(isSigned ? 2 : 1), ("0"..."9").contains(digit) else { return nil }
        let sign = isSigned && peek(1) == "-" ? "-" : ""
        position += isSigned ? 2 : 1
        return "e" + sign + takeWhile { ("0"..."9").contains($0) }
    }

    private mutating func takeWhile(_ belongs: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = peek(), scalar.isASCII, belongs(scalar) { position += 1 }
        return String(String.UnicodeScalarView(scalars[start..<position]))
    }
}
