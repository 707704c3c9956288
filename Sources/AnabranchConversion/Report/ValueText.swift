import AnabranchModel
import AnabranchReplication
import Foundation

/// Values as a report shows them.
enum ValueText {
    private static let longestText = 60

    static func text(of value: PropertyValue) -> String {
        switch value {
        case .null: "nothing"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .date(let seconds): "the date \(seconds) s after 2001"
        case .string(let text), .uri(let text): quoted(text)
        case .data(let data): "\(data.count) bytes"
        case .uuid(let uuid): uuid.uuidString
        case .reference, .group, .unknown: "a value"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.count <= longestText ? "\"\(text)\"" : "\"\(text.prefix(longestText))…\""
    }
}

extension ValueViolation {
    /// The violation as the end of a sentence.
    var sentence: String {
        switch self {
        case .missing: "it must not be missing"
        case .wrongType: "it is of another type"
        case .invalidDate: "it is no date"
        case .belowMinimum: "it is below the minimum"
        case .aboveMaximum: "it is above the maximum"
        case .tooShort: "it is too short"
        case .tooLong: "it is too long"
        case .mismatch: "it does not match the regular expression"
        case .failedRule(let rule): "it violates \(rule.predicateFormat)"
        }
    }
}
