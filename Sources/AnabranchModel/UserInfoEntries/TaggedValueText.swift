import AnabranchReplication
import Foundation

/// The texts of values that name their type, such as `integer64:5` or `binary:AAEC`.
///
/// User info entries hold values in this form that Xcode's own attributes can't hold.
enum TaggedValueText {
    /// The text of a value; `nil` for values that no attribute has as its default.
    static func text(of value: PropertyValue) -> String? {
        guard let type = AttributeType(holding: value),
            let text = ModelValueText.text(of: value, as: type)
        else { return nil }
        return "\(type):\(text)"
    }

    /// Reads a value; `nil` if the text is none.
    static func value(of text: String) -> PropertyValue? {
        guard let colon = text.firstIndex(of: ":"),
            let type = types.first(where: { "\($0)" == text[..<colon] })
        else { return nil }
        let content = String(text[text.index(after: colon)...])
        return switch type {
        case .date: Double(decimalText: content).map { .date($0) }
        case .binary: Data(base64Encoded: content).map { .data($0) }
        default: ModelValueReader.value(of: content, as: type)
        }
    }

    private static let types: [AttributeType] = [
        .boolean, .integer64, .double, .decimal, .string, .date, .binary, .uuid, .uri,
    ]
}
