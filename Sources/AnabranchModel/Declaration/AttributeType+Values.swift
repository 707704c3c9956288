package import AnabranchReplication
import Foundation

extension AttributeType {
    /// Returns true if an attribute of this type can hold the value unchanged.
    ///
    /// Every type accepts `null`: the attribute's `isOptional` decides if a value may be missing.
    /// Integers must lie in the range of their width. A float attribute accepts a `double` only if
    /// a `Float` holds it exactly, NaN and the infinities included, so the same value is read back;
    /// ``coerce(_:)`` rounds to such a value.
    package func accepts(_ value: PropertyValue) -> Bool {
        switch (self, value) {
        case (_, .null), (.undefined, _): true
        case (.integer16, .integer(let number)): Int16(exactly: number) != nil
        case (.integer32, .integer(let number)): Int32(exactly: number) != nil
        case (.float, .double(let number)): number.isNaN || Double(Float(number)) == number
        case (.integer64, .integer), (.double, .double), (.decimal, .decimal): true
        case (.string, .string), (.boolean, .bool), (.date, .date), (.binary, .data): true
        case (.uuid, .uuid), (.uri, .uri), (.transformable, .data): true
        default: false
        }
    }

    /// Converts a literal, or a value from another source, to this type.
    ///
    /// The conversion is exact, except that a float attribute takes the nearest `Float` of a
    /// double:
    ///
    /// - An integer becomes a double, float, decimal or date if that type holds it exactly.
    /// - A double becomes an integer if it is whole, the decimal of its shortest text, or the
    ///   seconds of a date.
    /// - A decimal becomes an integer or a double if that type holds it exactly.
    /// - A text becomes a URI, a UUID if it is one, or a decimal if it is a number.
    ///
    /// - Returns: `nil` if this type has no such value.
    package func coerce(_ value: PropertyValue) -> PropertyValue? {
        if self == .float, case .double(let number) = value { return .double(rounded(number)) }
        if accepts(value) { return value }
        return switch value {
        case .integer(let number): coerce(number)
        case .double(let number): coerce(number)
        case .decimal(let number): coerce(number)
        case .string(let text): coerce(text)
        default: nil
        }
    }

    private func coerce(_ number: Int64) -> PropertyValue? {
        switch self {
        case .double: Double(exactly: number).map { .double($0) }
        case .float: Float(exactly: number).map { .double(Double($0)) }
        case .decimal: .decimal(ExactDecimal(number))
        case .date: Double(exactly: number).map { .date($0) }
        default: nil
        }
    }

    private func coerce(_ number: Double) -> PropertyValue? {
        switch self {
        case .decimal: ExactDecimal("\(number)").map { .decimal($0) }
        case .date: .date(number)
        case .integer16, .integer32, .integer64: Int64(exactly: number).map { .integer($0) }
        default: nil
        }
    }

    /// Converts a decimal; to a double only if the double's shortest text has the decimal's digits.
    private func coerce(_ number: ExactDecimal) -> PropertyValue? {
        switch self {
        case .integer16, .integer32, .integer64: Int64("\(number)").map { .integer($0) }
        case .double, .float:
            Double("\(number)").flatMap { double in
                ExactDecimal("\(double)") == number && accepts(.double(double))
                    ? .double(double) : nil
            }
        default: nil
        }
    }

    private func coerce(_ text: String) -> PropertyValue? {
        switch self {
        case .uri: .uri(text)
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .decimal: ExactDecimal(text).map { .decimal($0) }
        default: nil
        }
    }

    /// The nearest `Float` of the number.
    ///
    /// A finite number beyond the range of `Float` stays as it is, and ``accepts(_:)`` refuses it.
    private func rounded(_ number: Double) -> Double {
        let float = Float(number)
        return float.isInfinite && number.isFinite ? number : Double(float)
    }
}

extension AttributeType {
    /// The type that holds any value of a value's kind; `nil` for null, references, groups and
    /// unknown values.
    package init?(holding value: PropertyValue) {
        switch value {
        case .bool: self = .boolean
        case .integer: self = .integer64
        case .double: self = .double
        case .decimal: self = .decimal
        case .string: self = .string
        case .date: self = .date
        case .data: self = .binary
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .null, .reference, .group, .unknown: return nil
        }
    }
}
