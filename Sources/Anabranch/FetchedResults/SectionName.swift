import AnabranchReplication
import Foundation

/// The name of a section, from the value that its objects share.
///
/// Values that a sort treats as equal have one name, and values with one name are neighbours in
/// every sort. So objects with one name are always neighbours, and a name has one section.
enum SectionName {
    /// Returns the name for a value: a string itself; an empty string for a missing value; digits
    /// for a number or a Boolean; ISO 8601 to the second for a date; hexadecimal digits for bytes.
    static func of(_ value: PropertyValue) -> String {
        switch value {
        case .null, .reference, .group, .unknown: ""
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let number): "\(number)"
        // Positive and negative zero are equal.
        case .double(let number): name(of: number == 0 ? 0 : number)
        case .decimal(let number): "\(number)"
        case .string(let text), .uri(let text): text
        case .date(let seconds): name(ofDate: seconds)
        case .data(let bytes): bytes.map { String(format: "%02x", Int($0)) }.joined()
        case .uuid(let uuid): uuid.uuidString
        }
    }

    /// Compares by bytes: strings that Swift treats as equal can be apart in a sort.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func name(of number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func name(ofDate seconds: Double) -> String {
        // A calendar has no names for years this far away, and so the number is used.
        guard seconds.magnitude < 1e11 else { return "\(seconds)" }
        return Date(timeIntervalSinceReferenceDate: seconds.rounded(.down)).formatted(.iso8601)
    }
}
