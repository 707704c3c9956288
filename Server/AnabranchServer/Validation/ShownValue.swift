import AnabranchReplication
import Foundation

/// A value in the form that the hook receives.
///
/// Null, booleans, small integers, doubles and texts are those of JSON. Integers beyond ±(2^53 − 1)
/// and decimals are texts, because readers of JSON round numbers. Dates are texts in ISO 8601 with
/// milliseconds, bytes are base64, references are record IDs, and a group is the list of its
/// members. A text or bytes of more than ``largest`` bytes are `{"omittedBytes": N}`.
struct ShownValue: Encodable, Sendable {
    /// The greatest number of bytes of a value that is shown.
    static let largest = 1 << 20
    /// The greatest integer that every reader of JSON keeps exactly.
    private static let greatestInteger: Int64 = (1 << 53) - 1

    private let value: Value

    init(_ value: Value) { self.value = value }

    private enum CodingKeys: String, CodingKey { case omittedBytes }

    func encode(to encoder: any Encoder) throws {
        if let count = omittedBytes {
            var container = encoder.container(keyedBy: CodingKeys.self)
            return try container.encode(count, forKey: .omittedBytes)
        }
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .integer(let number):
            if number.magnitude <= Self.greatestInteger {
                try container.encode(number)
            } else {
                try container.encode("\(number)")
            }
        case .double(let number): try container.encode(number)
        case .decimal(let number): try container.encode(number.description)
        case .string(let text), .uri(let text): try container.encode(text)
        case .date(let seconds): try container.encode(ShownTime.text(secondsSince2001: seconds))
        case .data(let data): try container.encode(data.base64EncodedString())
        case .uuid(let uuid): try container.encode(uuid.uuidString)
        case .reference(let record): try container.encode(record.description)
        case .group(let group): try container.encode(group.members.map { ShownProperty($0) })
        case .unknown(_, let bytes): try container.encode(Data(bytes).base64EncodedString())
        }
    }

    /// The size of a value that is too large to be shown.
    private var omittedBytes: Int? {
        let count =
            switch value {
            case .string(let text), .uri(let text): text.utf8.count
            case .data(let data): data.count
            case .unknown(_, let bytes): bytes.count
            default: 0
            }
        return count > Self.largest ? count : nil
    }
}

/// Times as text in ISO 8601 with milliseconds, in UTC.
enum ShownTime {
    private static let secondsFrom1970To2001 = 978_307_200.0
    /// The seconds since 1970 of the years 1 to 9999, which ISO 8601 writes with four digits.
    private static let years = -62_135_596_800.0..<253_402_300_800.0

    /// - Parameter wallMilliseconds: Since 1970-01-01 UTC, not negative.
    static func text(wallMilliseconds: Int64) -> String {
        let (seconds, milliseconds) = wallMilliseconds.quotientAndRemainder(dividingBy: 1000)
        guard years.contains(Double(seconds)) else { return "\(wallMilliseconds) ms since 1970" }
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.dropLast() + "." + "\(1000 + milliseconds)".dropFirst() + "Z"
    }

    /// The text of a date's value, rounded down to milliseconds.
    ///
    /// A date that has no such text is shown by its number.
    static func text(secondsSince2001 seconds: Double) -> String {
        let since1970 = seconds + secondsFrom1970To2001
        guard years.contains(since1970) else { return "\(seconds) s since 2001" }
        let whole = since1970.rounded(.down)
        let milliseconds = Int(((since1970 - whole) * 1000).rounded(.down))
        let text = Date(timeIntervalSince1970: whole).formatted(.iso8601)
        return text.dropLast() + "." + "\(1000 + milliseconds)".dropFirst() + "Z"
    }
}
