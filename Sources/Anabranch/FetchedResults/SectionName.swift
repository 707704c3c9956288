import AnabranchReplication
import Foundation

/// What a section is called after the value that its objects share.
///
/// Values that a sort takes for equal have one name, and values with one name stand side by side
/// in any sort. So objects of one name are always neighbours, and a name has one section.
enum SectionName {
    /// A text is its own name, a missing value has the empty one, a number and a flag are written
    /// in digits, a date as ISO 8601 has it to the second, bytes in hexadecimal digits.
    static func of(_ value: Value) -> String {
        switch value {
        case .null, .reference, .group, .unknown: ""
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let number): "\(number)"
        // The two zeros are equal.
        case .double(let number): name(of: number == 0 ? 0 : number)
        case .decimal(let number): "\(number)"
        case .string(let text), .uri(let text): text
        case .date(let seconds): name(ofDate: seconds)
        case .data(let bytes): bytes.map { String(format: "%02x", Int($0)) }.joined()
        case .uuid(let uuid): uuid.uuidString
        }
    }

    /// By the bytes: texts that Swift takes for equal may stand apart in a sort.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func name(of number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func name(ofDate seconds: Double) -> String {
        // Beyond the years that a calendar names the number is as good.
        guard seconds.magnitude < 1e11 else { return "\(seconds)" }
        return Date(timeIntervalSinceReferenceDate: seconds.rounded(.down)).formatted(.iso8601)
    }
}
