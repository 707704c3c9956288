#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PropertyValue: CustomStringConvertible {
    /// The value as text for messages, such as `99999`, `'text'` or `2001-01-01T00:00:00Z`.
    /// Different values may have equal texts, and long texts are cut.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .string(let text), .uri(let text): Self.quoted(text)
        case .date(let seconds): Self.date(seconds)
        case .data(let data): "data of \(data.count) bytes"
        case .uuid(let uuid): "\(uuid)"
        case .reference(let record): "record \(record)"
        case .group(let group):
            "{" + group.members.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
        case .unknown(let tag, let bytes): "a value of tag \(tag), \(bytes.count) bytes"
        }
    }

    private static func quoted(_ text: String) -> String {
        let most = 100
        let start = text.prefix(most)
        return start.endIndex == text.endIndex ? "'\(text)'" : "'\(start)…'"
    }

    /// The date in ISO 8601, or its seconds if the year has more than four digits.
    private static func date(_ seconds: Double) -> String {
        let years = -62_135_596_800.0 - 978_307_200...253_402_300_799 - 978_307_200
        guard years.contains(seconds) else { return "\(seconds) s after 2001-01-01T00:00:00Z" }
        return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
    }
}
