import AnabranchReplication
import Foundation

/// Converts a constant to the type of the attribute that it is compared with.
///
/// It differs from ``AttributeType/coerce(_:)`` in two ways. It never reads a text as a decimal or
/// a number as a date. A number that the attribute cannot hold stays a number, because `age < 17.5`
/// is a valid comparison for an integer.
enum ConstantCoercion {
    /// Converts a constant; `nil` if values of the type can never be compared with it.
    static func coerce(_ value: PropertyValue, to type: AttributeType) -> PropertyValue? {
        switch type {
        case .integer16, .integer32, .integer64: integer(value)
        case .double: double(value)
        case .float: double(value).map(rounded)
        case .decimal: decimal(value)
        case .boolean: bool(value)
        case .uuid: uuid(value)
        case .uri, .string: text(value, to: type)
        case .date: if case .date = value { value } else { nil }
        case .binary, .transformable: if case .data = value { value } else { nil }
        case .undefined: nil
        }
    }

    private static func integer(_ value: PropertyValue) -> PropertyValue? {
        switch value {
        case .integer: value
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .double(let number): Int64(exactly: number).map { .integer($0) } ?? value
        case .decimal(let number): Int64(number.description).map { .integer($0) } ?? double(value)
        default: nil
        }
    }

    private static func double(_ value: PropertyValue) -> PropertyValue? {
        switch value {
        case .double: value
        case .bool(let flag): .double(flag ? 1 : 0)
        case .integer(let number): Double(exactly: number).map { .double($0) } ?? value
        case .decimal(let number): Double(number.description).map { .double($0) }
        default: nil
        }
    }

    /// Rounds a number as stored floats were rounded, so that `0.1` equals a stored 0.1.
    private static func rounded(_ value: PropertyValue) -> PropertyValue {
        let number: Double
        switch value {
        case .double(let own): number = own
        case .integer(let own): number = Double(own)
        default: return value
        }
        let float = Double(Float(number))
        return float.isInfinite && number.isFinite ? value : .double(float)
    }

    private static func decimal(_ value: PropertyValue) -> PropertyValue? {
        switch value {
        case .decimal: value
        case .bool(let flag): .decimal(ExactDecimal(flag ? 1 : 0))
        case .integer(let number): .decimal(ExactDecimal(number))
        case .double(let number): ExactDecimal("\(number)").map { .decimal($0) }
        default: nil
        }
    }

    private static func bool(_ value: PropertyValue) -> PropertyValue? {
        switch value {
        case .bool: value
        case .integer(0), .double(0): .bool(false)
        case .integer(1), .double(1): .bool(true)
        default: nil
        }
    }

    private static func uuid(_ value: PropertyValue) -> PropertyValue? {
        switch value {
        case .uuid: value
        case .string(let text): UUID(uuidString: text).map { .uuid($0) }
        default: nil
        }
    }

    private static func text(_ value: PropertyValue, to type: AttributeType) -> PropertyValue? {
        switch value {
        case .string(let text), .uri(let text): type == .uri ? .uri(text) : .string(text)
        default: nil
        }
    }
}
