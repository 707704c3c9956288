import AnabranchReplication
import Foundation

/// A number in a predicate's arithmetic.
enum PredicateNumber {
    case integer(Int64)
    case real(Double)
    case decimal(ExactDecimal)

    /// Reads a number; `nil` for a value of another kind. A boolean is 1 or 0.
    init?(_ value: PropertyValue) {
        switch value {
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .decimal(let number): self = .decimal(number)
        default: return nil
        }
    }

    /// The value; null for NaN.
    var value: PropertyValue {
        switch self {
        case .integer(let number): .integer(number)
        case .real(let number): number.isNaN ? .null : .double(number)
        case .decimal(let number): .decimal(number)
        }
    }

    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .decimal(let number): Double(number.description) ?? .nan
        }
    }

    /// The number as a decimal; `nil` if it is beyond the range of decimals.
    var decimal: ExactDecimal? {
        switch self {
        case .integer(let number): ExactDecimal(number)
        case .real(let number): ExactDecimal("\(number)")
        case .decimal(let number): number
        }
    }
}

extension ExactDecimal {
    /// Creates a decimal from the result of a calculation, rounded to the digits that it holds.
    ///
    /// - Returns: `nil` for NaN, the result of an overflow or a division by zero.
    init?(rounding result: Decimal) {
        if result.isNaN { return nil }
        if let exact = ExactDecimal(result) {
            self = exact
            return
        }
        // The calculation has 39 digits at most.
        var (own, rounded) = (result, Decimal())
        NSDecimalRound(&rounded, &own, -result.exponent - 1, .plain)
        self.init(rounded)
    }
}

/// The arithmetic of one function.
struct PredicateArithmetic {
    let function: ValueFunction

    /// - Returns: `nil` if there is no result.
    func of(_ number: PredicateNumber) -> PredicateNumber? {
        switch function {
        case .squareRoot: .real(number.double.squareRoot())
        case .exponential: .real(exp(number.double))
        case .logarithm: .real(log10(number.double))
        case .naturalLogarithm: .real(log(number.double))
        default:
            switch number {
            case .integer(let number): of(number)
            case .real(let number): of(number).map { .real($0) }
            case .decimal(let number): of(number.decimal).map { .decimal($0) }
            }
        }
    }

    private func of(_ number: Int64) -> PredicateNumber? {
        switch function {
        case .negate: number == .min ? .real(0x1p63) : .integer(-number)
        case .absolute: number == .min ? .real(0x1p63) : .integer(abs(number))
        case .ceiling, .floor, .truncate, .round: .integer(number)
        case .complement: .integer(~number)
        default: nil
        }
    }

    private func of(_ number: Double) -> Double? {
        switch function {
        case .negate: -number
        case .absolute: number.magnitude
        case .ceiling: number.rounded(.up)
        case .floor: number.rounded(.down)
        case .truncate: number.rounded(.towardZero)
        case .round: number.rounded(.toNearestOrAwayFromZero)
        default: nil
        }
    }

    private func of(_ number: Decimal) -> ExactDecimal? {
        let isNegative = number < 0
        return switch function {
        case .negate: ExactDecimal(rounding: -number)
        case .absolute: ExactDecimal(rounding: number.magnitude)
        case .ceiling: whole(number, .up)
        case .floor: whole(number, .down)
        case .truncate: whole(number, isNegative ? .up : .down)
        case .round: whole(number, .plain)
        default: nil
        }
    }

    private func whole(_ number: Decimal, _ mode: NSDecimalNumber.RoundingMode) -> ExactDecimal? {
        var (own, rounded) = (number, Decimal())
        NSDecimalRound(&rounded, &own, 0, mode)
        return ExactDecimal(rounding: rounded)
    }
}

// MARK: Two numbers

extension PredicateArithmetic {
    /// - Returns: `nil` if there is no result.
    func of(_ left: PredicateNumber, _ right: PredicateNumber) -> PredicateNumber? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): of(left, right)
        case (.real, _), (_, .real): of(left.double, right.double).map { .real($0) }
        case (.decimal, _), (_, .decimal):
            if function == .power {
                .real(pow(left.double, right.double))
            } else if let left = left.decimal, let right = right.decimal {
                of(left.decimal, right.decimal).map { .decimal($0) }
            } else {
                nil
            }
        }
    }

    private func of(_ left: Int64, _ right: Int64) -> PredicateNumber? {
        func exact(
            _ result: (partialValue: Int64, overflow: Bool), _ otherwise: Double
        ) -> PredicateNumber {
            result.overflow ? .real(otherwise) : .integer(result.partialValue)
        }
        let (own, other) = (Double(left), Double(right))
        switch function {
        case .add: return exact(left.addingReportingOverflow(right), own + other)
        case .subtract: return exact(left.subtractingReportingOverflow(right), own - other)
        case .multiply: return exact(left.multipliedReportingOverflow(by: right), own * other)
        case .divide:
            return right == 0 ? nil : exact(left.dividedReportingOverflow(by: right), own / other)
        case .modulus:
            return right == 0
                ? nil : .integer(left.remainderReportingOverflow(dividingBy: right).partialValue)
        case .power: return power(left, right)
        case .bitwiseAnd: return .integer(left & right)
        case .bitwiseOr: return .integer(left | right)
        case .bitwiseExclusiveOr: return .integer(left ^ right)
        case .shiftLeft: return .integer(left << right)
        case .shiftRight: return .integer(left >> right)
        default: return nil
        }
    }

    private func power(_ base: Int64, _ exponent: Int64) -> PredicateNumber {
        guard exponent >= 0 else { return .real(pow(Double(base), Double(exponent))) }
        var (result, square, rest) = (Int64(1), base, exponent)
        while rest > 0 {
            if rest & 1 == 1 {
                let product = result.multipliedReportingOverflow(by: square)
                if product.overflow { return .real(pow(Double(base), Double(exponent))) }
                result = product.partialValue
            }
            rest >>= 1
            if rest > 0 {
                let product = square.multipliedReportingOverflow(by: square)
                if product.overflow { return .real(pow(Double(base), Double(exponent))) }
                square = product.partialValue
            }
        }
        return .integer(result)
    }

    private func of(_ left: Double, _ right: Double) -> Double? {
        switch function {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: right == 0 ? nil : left / right
        case .modulus: left.truncatingRemainder(dividingBy: right)
        case .power: pow(left, right)
        default: nil
        }
    }

    private func of(_ left: Decimal, _ right: Decimal) -> ExactDecimal? {
        switch function {
        case .add: return ExactDecimal(rounding: left + right)
        case .subtract: return ExactDecimal(rounding: left - right)
        case .multiply: return ExactDecimal(rounding: left * right)
        case .divide: return right == 0 ? nil : ExactDecimal(rounding: left / right)
        case .modulus:
            guard right != 0, let quotient = ExactDecimal(rounding: left / right),
                let whole = PredicateArithmetic(function: .truncate).of(.decimal(quotient)),
                case .decimal(let count) = whole
            else { return nil }
            return ExactDecimal(rounding: left - count.decimal * right)
        default: return nil
        }
    }
}
