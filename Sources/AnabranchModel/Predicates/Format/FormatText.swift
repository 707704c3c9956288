/// Writes keys, names and strings in the form that the lexer reads.
enum FormatText {
    static func key(_ key: String) -> String {
        ReservedWord.contains(key) ? "#" + key : name(key)
    }

    static func name(_ name: String) -> String {
        var text = ""
        var isFirst = true
        for scalar in name.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            let isPlain =
                PredicateLexer.isPlainNamePart(scalar)
                && !(isFirst && !(scalar == "_" || scalar.properties.isAlphabetic))
            text += isPlain && !(isFirst && isDigit) ? String(scalar) : escape(scalar)
            isFirst = false
        }
        return text
    }

    static func string(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..."\u{1F}", "\u{7F}": text += escape(scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
