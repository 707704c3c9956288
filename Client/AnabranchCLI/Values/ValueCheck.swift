import Anabranch

/// What the model asks of an attribute's values beyond their type: bounds of numbers, dates and
/// lengths of text, regular expressions and validations. Every command that writes asks here.
enum ValueCheck {
    /// - Returns: Why a record can't have the value, as a sentence; `nil`: it can.
    static func refusal(of value: Value, by attribute: AttributeDescription) -> String? {
        guard let violation = attribute.violation(by: value) else { return nil }
        let shown = "'\(shown(ValueText.text(value)))'"
        let (least, greatest) = (attribute.declaration.minimum, attribute.declaration.maximum)
        return switch violation {
        case .missing: "There has to be a value."
        case .wrongType: "\(shown) doesn't fit the attribute's type."
        case .belowMinimum:
            "\(shown) is below the least that the model allows\(bound(least))."
        case .aboveMaximum:
            "\(shown) is above the greatest that the model allows\(bound(greatest))."
        case .tooShort: "\(shown) is shorter than the model allows\(bound(least, " characters"))."
        case .tooLong: "\(shown) is longer than the model allows\(bound(greatest, " characters"))."
        case .invalidDate: "\(shown) is no moment."
        case .failedRule(let rule):
            rule.warning.isEmpty
                ? "\(shown) does not fulfil \(rule.predicateFormat)."
                : "\(shown) is refused: \(rule.warning)"
        case .mismatch: "\(shown) doesn't match the regular expression that the model gives."
        }
    }

    /// A value in a message: printable, and not too long.
    static func shown(_ text: String) -> String {
        CharacterWidth.clipped(TextTable.printable(text), to: 60)
    }

    private static func bound(_ value: Value?, _ unit: String = "") -> String {
        value.map { ", which is \(ValueText.text($0))\(unit)" } ?? ""
    }
}
