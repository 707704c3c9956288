import Anabranch

/// Checks values against the model's bounds, regular expressions and validations.
///
/// Every command that writes uses it.
enum ValueCheck {
    /// The reason why a record cannot have the value, as a sentence; `nil` if it can.
    static func refusal(of value: PropertyValue, by attribute: AttributeDescription) -> String? {
        guard let violation = attribute.violation(by: value) else { return nil }
        let shown = "'\(shown(ValueText.text(value)))'"
        let (least, greatest) = (attribute.declaration.minimum, attribute.declaration.maximum)
        return switch violation {
        case .missing: "A value is required."
        case .wrongType: "\(shown) doesn't fit the attribute's type."
        case .belowMinimum:
            "\(shown) is below the model's minimum\(bound(least))."
        case .aboveMaximum:
            "\(shown) is above the model's maximum\(bound(greatest))."
        case .tooShort: "\(shown) is shorter than the model allows\(bound(least, " characters"))."
        case .tooLong: "\(shown) is longer than the model allows\(bound(greatest, " characters"))."
        case .invalidDate: "\(shown) is not a valid time."
        case .failedRule(let rule):
            rule.warning.isEmpty
                ? "\(shown) does not satisfy \(rule.predicateFormat)."
                : "\(shown) is refused: \(rule.warning)"
        case .mismatch: "\(shown) doesn't match the regular expression that the model gives."
        }
    }

    /// A value in a message: printable, and at most 60 columns.
    static func shown(_ text: String) -> String {
        CharacterWidth.clipped(TerminalText.printable(text), to: 60)
    }

    private static func bound(_ value: PropertyValue?, _ unit: String = "") -> String {
        value.map { ", which is \(ValueText.text($0))\(unit)" } ?? ""
    }
}
