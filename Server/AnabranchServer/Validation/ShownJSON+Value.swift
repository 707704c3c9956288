import AnabranchReplication
import Foundation

extension ShownJSON {
    /// The greatest number of bytes of a value that is shown.
    private static let largestValue = 1 << 20
    /// The greatest integer that every reader of JSON keeps exactly.
    private static let greatestInteger: Int64 = (1 << 53) - 1

    /// Adds a value.
    ///
    /// Null, booleans, small integers, doubles and texts are those of JSON. Integers beyond
    /// ±(2^53 − 1), decimals and doubles that are not finite are texts, because readers of JSON
    /// round numbers. Dates are texts in ISO 8601 with milliseconds, bytes are base64, references
    /// are record IDs, and a group is the list of its members. A text or bytes of more than 1 MiB
    /// are `{"omittedBytes": N}`.
    mutating func append(_ value: PropertyValue) throws(NoRoom) {
        if let count = Self.omittedBytes(of: value) {
            return try append("{\"omittedBytes\":\(count)}")
        }
        switch value {
        case .null: try append("null")
        case .bool(let flag): try append(flag ? "true" : "false")
        case .integer(let number):
            try append(
                number.magnitude <= Self.greatestInteger ? "\(number)" : "\"\(number)\"")
        case .double(let number): try append(Self.text(of: number))
        case .decimal(let number): try append(quoted: number.description)
        case .string(let text), .uri(let text): try append(quoted: text)
        case .date(let seconds): try append(quoted: ShownTime.text(secondsSince2001: seconds))
        case .data(let data): try append(quoted: data.base64EncodedString())
        case .uuid(let uuid): try append(quoted: uuid.uuidString)
        case .reference(let record): try append(quoted: record.description)
        case .group(let group): try append(group)
        case .unknown(_, let bytes): try append(quoted: Data(bytes).base64EncodedString())
        }
    }

    private static func text(of number: Double) -> String {
        guard number.isFinite else {
            return number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\""
        }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The size of a value that is too large to be shown.
    private static func omittedBytes(of value: PropertyValue) -> Int? {
        let count =
            switch value {
            case .string(let text), .uri(let text): text.utf8.count
            case .data(let data): data.count
            case .unknown(_, let bytes): bytes.count
            default: 0
            }
        return count > largestValue ? count : nil
    }
}
