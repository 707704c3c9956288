/// Converts texts to Swift literals and back.
enum StringLiteral {
    /// A literal of one line.
    static func text(of value: String) -> String {
        let escaped = value.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// The value of a literal without escapes and interpolation; otherwise nil.
    static func value(of literal: String) -> String? {
        guard literal.count >= 2, literal.hasPrefix("\""), literal.hasSuffix("\"") else {
            return nil
        }
        let value = literal.dropFirst().dropLast()
        return value.contains { $0 == "\\" || $0 == "\"" || $0.isNewline } ? nil : String(value)
    }
}
