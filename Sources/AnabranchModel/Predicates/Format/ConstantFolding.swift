import AnabranchReplication
import Foundation

/// Folds a constant that is written in several tokens, such as `-1`, into one value.
enum ConstantFolding {
    /// Folds the sign of a number into the number.
    static func negative(_ operand: FetchExpression) -> FetchExpression.Form {
        guard case .constant(.value(let value)) = operand.form, let negated = negated(value)
        else { return .negative(operand) }
        return .constant(.value(negated))
    }

    static func negated(_ value: PropertyValue) -> PropertyValue? {
        switch value {
        case .integer(let number):
            return number == .min ? nil : .integer(-number)
        case .double(let number): return .double(-number)
        case .decimal(let number):
            // The digits of Int64.min without its sign are beyond Int64.
            let isLeast = number.digits == UInt128(1) << 63 && number.exponent == 0
            if isLeast, !number.isNegative { return .integer(.min) }
            return ExactDecimal(
                digits: number.digits, exponent: Int(number.exponent),
                isNegative: !number.isNegative
            ).map { .decimal($0) }
        default: return nil
        }
    }

    /// Folds CAST of a literal to the constant; a constant without a literal is printed so.
    static func cast(_ operand: FetchExpression, to type: String) -> FetchExpression.Form {
        guard case .constant(.value(let value)) = operand.form,
            let constant = constant(value, as: type)
        else { return .cast(operand, type: type) }
        return .constant(.value(constant))
    }

    private static func constant(_ value: PropertyValue, as type: String) -> PropertyValue? {
        switch (type, value) {
        case ("NSDate", .double(let seconds)): .date(seconds)
        case ("NSDate", .integer(let seconds)): .date(Double(seconds))
        case ("NSDate", .string(let text)): special(text).map { .date($0) }
        case ("NSNumber", .string(let text)): special(text).map { .double($0) }
        case ("NSUUID", .string(let text)): UUID(uuidString: text).map { .uuid($0) }
        case ("NSURL", .string(let text)): .uri(text)
        case ("NSData", .string(let text)): Data(base64Encoded: text).map { .data($0) }
        case ("NSDecimalNumber", .string(let text)): ExactDecimal(text).map { .decimal($0) }
        default: nil
        }
    }

    /// Reads a double that no literal can write.
    private static func special(_ text: String) -> Double? {
        ["nan": .nan, "inf": .infinity, "-inf": -.infinity][text]
    }
}
