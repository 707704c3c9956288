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

/// The argument of `@Entity("Name")`.
enum EntityNameArgument: Equatable {
    case none
    case name(String)
    /// The argument is not a usable name. The offset is counted from the start of the attribute.
    case wrong(Diagnostic)

    init(_ attribute: String) {
        var cursor = TokenCursor(SwiftLexer.code(of: attribute))
        let arguments = cursor.readAttributes().first?.arguments ?? []
        guard let first = arguments.first else {
            self = .none
            return
        }
        let value = first.kind == .string ? StringLiteral.value(of: first.text) : nil
        if arguments.count == 1, let value, !value.isEmpty {
            self = .name(value)
        } else {
            self = .wrong(
                Diagnostic(
                    message: "The name of an entity is one literal without escapes: write "
                        + "@Entity(\"Name\").", offset: first.offset))
        }
    }
}
