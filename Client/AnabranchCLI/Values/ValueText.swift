import Anabranch
import AnabranchReplication
import Foundation

/// Converts values to text, and text to values of a type.
///
/// The text of a value gives the same value when it is read, unless the table says otherwise. Null
/// has no text of its own: it is written as the empty text.
///
///  | type | text |
///  |---|---|
///  | integers, decimals | their digits; decimals are exact, with up to 38 digits |
///  | doubles | the fewest digits that identify the number; `nan`, `inf`, `-inf`; not `0x10` |
///  | booleans | `true`, `false`; also read from `1`, `0`, `yes`, `no` |
///  | dates | ISO 8601 in UTC; read with any offset, or as UTC without one |
///  | binary data, bytes of transformables | base64 |
///  | UUIDs, URIs | their usual form |
///  | groups | `end=10, start=9`; not read, because each member is set by itself |
enum ValueText {
    /// The text of a value; null is the empty text.
    static func text(_ value: PropertyValue) -> String {
        switch value {
        case .null: ""
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .decimal(let number): number.description
        case .string(let text), .uri(let text): text
        case .date(let seconds): TimeText.text(seconds)
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .reference(let record): RecordText.short(record)
        case .group(let group):
            ListEntry.target(of: value).map(RecordText.short) ?? text(group)
        case .unknown(let tag, let bytes): "type \(tag): \(bytes.hexadecimal)"
        }
    }

    /// The text of a value in a table, in which null is a word.
    static func shown(_ value: PropertyValue) -> String { value.isNull ? "null" : text(value) }

    /// The members of a group as they are assigned: `end=10, start=9`.
    private static func text(_ group: GroupValue) -> String {
        group.members.map { member in
            "\(member.name)=\(member.value.isNull ? "null" : text(member.value))"
        }.joined(separator: ", ")
    }

    /// The value as JSON.
    ///
    /// Booleans, integers, finite doubles and null are JSON values of their kind, and a group is an
    /// object with its members. Every other value is a string, so that no reader rounds a decimal.
    static func json(_ value: PropertyValue) -> String {
        switch value {
        case .null: "null"
        case .bool, .integer: text(value)
        case .double(let number) where number.isFinite: text(value)
        case .reference(let record): JSONText.quoted(RecordText.long(record))
        case .group(let group):
            JSONText.object { json in
                for member in group.members {
                    json.member(member.name.string, raw: self.json(member.value))
                }
            }
        default: JSONText.quoted(text(value))
        }
    }

    /// Reads a text as a value of a type.
    ///
    /// - Returns: `nil` if the text is not such a value.
    static func read(_ text: String, as type: AttributeType) -> PropertyValue? {
        let value: PropertyValue? =
            switch type {
            case .integer16, .integer32, .integer64: Int64(text).map { .integer($0) }
            case .double, .float: Double(decimalText: text).map { .double($0) }
            case .decimal: ExactDecimal(text).map { .decimal($0) }
            case .boolean: readBool(text).map { .bool($0) }
            case .date: TimeText.read(text).map { .date($0) }
            case .binary, .transformable: Data(base64Encoded: text).map { .data($0) }
            case .uuid: UUID(uuidString: text).map { .uuid($0) }
            case .uri: .uri(text)
            case .string: .string(text)
            case .undefined: nil
            }
        return value.flatMap { fitting($0, type) }
    }

    /// Reads a value of JSON: a text or a number is read as the text that it is written as.
    ///
    /// - Returns: `nil` if the type has no such value. A number is a number or a boolean, and no
    ///   other type: it does not say what it counts.
    static func read(_ json: JSONValue, as type: AttributeType) -> PropertyValue? {
        switch json {
        case .null: .null
        case .bool(let flag): type == .boolean ? .bool(flag) : nil
        case .string(let text): read(text, as: type)
        case .number(let text): type.isNumeric || type == .boolean ? read(text, as: type) : nil
        case .array, .object: nil
        }
    }

    private static func fitting(_ value: PropertyValue, _ type: AttributeType) -> PropertyValue? {
        guard let coerced = type.coerce(value), type.accepts(coerced) else { return nil }
        // A float that is not zero must not become zero.
        if case .double(0) = coerced, case .double(let number) = value, number != 0 { return nil }
        return coerced
    }

    private static func readBool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// A description of the type's values, for messages.
    static func form(of type: AttributeType) -> String {
        switch type {
        case .integer16: "a whole number from -32768 to 32767"
        case .integer32: "a whole number from -2147483648 to 2147483647"
        case .integer64: "a whole number of at most 64 bits"
        case .double, .float: "a number"
        case .decimal: "a decimal of at most 38 digits"
        case .boolean: "true or false"
        case .date: "a time, as 2024-05-01T12:30:00Z"
        case .binary, .transformable: "base64"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .string: "a text"
        case .undefined: "nothing, because its attribute isn't stored"
        }
    }
}
