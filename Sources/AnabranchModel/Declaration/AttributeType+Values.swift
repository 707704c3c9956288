public import AnabranchReplication
import Foundation

extension AttributeType {
    /// Whether an attribute of this type can hold the value as it is.
    ///
    /// `null` is accepted by every type: whether a value may be absent is the attribute's
    /// `isOptional`. Integers must lie in the range of their width. A float attribute takes a
    /// `double` only where a `Float` holds it exactly (NaN and the infinities included), so that
    /// what is read back is what was written; ``coerce(_:)`` rounds to it first.
    public func accepts(_ value: Value) -> Bool {
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

    /// The value in the attribute's own case, as a literal or a foreign source has to be turned.
    ///
    /// Nothing is lost but what a float cannot hold: an integer becomes a double, a float, a
    /// decimal or a date only where that is exact; a double becomes an integer where it is one, the
    /// decimal of its shortest text, or the seconds of a date; a decimal becomes an integer or a
    /// double where it is one; a double for a float attribute becomes the nearest `Float`; a text
    /// becomes a URI, a UUID where it is one, or a decimal where it is a number.
    ///
    /// - Returns: `nil` where the value has no counterpart in this type.
    public func coerce(_ value: Value) -> Value? {
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

    private func coerce(_ number: Int64) -> Value? {
        switch self {
        case .double: Double(exactly: number).map { .double($0) }
        case .float: Float(exactly: number).map { .double(Double($0)) }
        case .decimal: .decimal(ExactDecimal(number))
        case .date: Double(exactly: number).map { .date($0) }
        default: nil
        }
    }

    private func coerce(_ number: Double) -> Value? {
        switch self {
        case .decimal: ExactDecimal("\(number)").map { .decimal($0) }
        case .date: .date(number)
        case .integer16, .integer32, .integer64: Int64(exactly: number).map { .integer($0) }
        default: nil
        }
    }

    /// A double is exact where its shortest text has the decimal's digits.
    private func coerce(_ number: ExactDecimal) -> Value? {
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

    private func coerce(_ text: String) -> Value? {
        switch self {
        case .uri: .uri(text)
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .decimal: ExactDecimal(text).map { .decimal($0) }
        default: nil
        }
    }

    /// A finite number beyond the range of `Float` stays as it is, for ``accepts(_:)`` to refuse.
    private func rounded(_ number: Double) -> Double {
        let float = Float(number)
        return float.isInfinite && number.isFinite ? number : Double(float)
    }
}
