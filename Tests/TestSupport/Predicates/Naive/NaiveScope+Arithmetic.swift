import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveScope {
    static let signs = [
        "add:to": "+", "from:subtract": "-", "multiply:by": "*", "divide:by": "/",
        "modulus:by": "%", "raise:toPower": "**", "bitwiseAnd:with": "&", "bitwiseOr:with": "|",
        "bitwiseXor:with": "^", "leftshift:by": "<<", "rightshift:by": ">>",
    ]
    static let reductions: Set<String> = [
        "sum", "count", "min", "max", "average", "median", "mode", "stddev",
    ]

    func function(_ fullName: String, _ arguments: [NaiveCell]) throws -> NaiveCell {
        let name = fullName.hasSuffix(":") ? String(fullName.dropLast()) : fullName
        if arguments.count == 2, let sign = Self.signs[name] {
            return try binary(sign, arguments[0], arguments[1])
        }
        guard arguments.count == 1 else { throw NaiveDoubt() }
        if Self.reductions.contains(name) { return try reduce(name, arguments[0]) }
        return try unary(name == "onesComplement" ? "~" : name, arguments[0])
    }

    func binary(
        _ sign: String, _ left: NaiveCell, _ right: NaiveCell
    ) throws -> NaiveCell {
        if left.isCollection || right.isCollection { throw NaiveDoubt() }
        if left.isMissing || right.isMissing { return .missing }
        let isConstant = left.origin.isConstant && right.origin.isConstant
        guard case (.number(let first), .number(let second)) = (left.value, right.value) else {
            let value = try dates(sign, left.value, right.value)
            return NaiveCell(value, isConstant ? .maybeConstant : .computed)
        }
        let isOfNone = left.origin == .sumOfNone || right.origin == .sumOfNone
        // Only integers are cut off.
        if isOfNone, ["/", "%", "**"].contains(sign) { throw NaiveDoubt() }
        let value = try numbers(sign, first, second, left.origin, right.origin)
        if isConstant { return NaiveCell(value, .maybeConstant) }
        if isOfNone && left.isWhole && right.isWhole { return NaiveCell(value, .sumOfNone) }
        return NaiveCell(value, left.isWhole && right.isWhole ? value.wholeOrigin : .computed)
    }

    func dates(
        _ sign: String, _ left: NaiveValue, _ right: NaiveValue
    ) throws -> NaiveValue {
        switch (sign, left, right) {
        case ("+", .date(let date), .number(let number)),
            ("+", .number(let number), .date(let date)):
            return Self.date(date + (try number.asDouble()))
        case ("-", .date(let date), .number(let number)):
            return Self.date(date - (try number.asDouble()))
        case ("-", .date(let first), .date(let second)): return .result(first - second)
        default: throw NaiveDoubt()
        }
    }

    static func date(_ seconds: Double) -> NaiveValue {
        seconds.isNaN ? .missing : .date(seconds)
    }

    func numbers(
        _ sign: String, _ first: NaiveNumber, _ second: NaiveNumber,
        _ firstOrigin: NaiveOrigin, _ secondOrigin: NaiveOrigin
    ) throws -> NaiveValue {
        if ["&", "|", "^", "<<", ">>"].contains(sign) { return try bits(sign, first, second) }
        if case (.integer(let left), .integer(let right)) = (first, second) {
            return try integers(sign, left, right)
        }
        if sign != "**" {
            let left = try promoted(first, firstOrigin, beside: second)
            let right = try promoted(second, secondOrigin, beside: first)
            if !left.isDouble && !right.isDouble {
                return try decimals(sign, decimal(left), decimal(right))
            }
            // An integer beyond 64 bits keeps the type of an integer, so the result is a decimal.
            let hasOverflow = firstOrigin == .overflow || secondOrigin == .overflow
            if hasOverflow && (left.isDecimal || right.isDecimal) {
                let result = try doubles(sign, left.asDouble(), right.asDouble())
                guard case .number(let number) = result, case .decimal = number.shortest
                else { return .missing }
                return .number(number.shortest)
            }
        }
        return try doubles(sign, first.asDouble(), second.asDouble())
    }

    /// Returns a double constant beside a decimal as a decimal.
    func promoted(
        _ number: NaiveNumber, _ origin: NaiveOrigin, beside other: NaiveNumber
    ) throws -> NaiveNumber {
        guard number.isDouble, other.isDecimal, origin.isConstant else { return number }
        if origin == .maybeConstant { throw NaiveDoubt() }
        return number.shortest
    }

    func decimal(_ number: NaiveNumber) throws -> Decimal {
        switch number {
        case .integer(let integer): return Decimal(integer)
        case .decimal(let decimal): return decimal
        case .double: throw NaiveDoubt()
        }
    }

    func bits(
        _ sign: String, _ first: NaiveNumber, _ second: NaiveNumber
    ) throws -> NaiveValue {
        guard case (.integer(let left), .integer(let right)) = (first, second)
        else { throw NaiveDoubt() }
        switch sign {
        case "&": return .number(.integer(left & right))
        case "|": return .number(.integer(left | right))
        case "^": return .number(.integer(left ^ right))
        case "<<": return .number(.integer(left << right))
        case ">>": return .number(.integer(left >> right))
        default: throw NaiveDoubt()
        }
    }

    func integers(_ sign: String, _ left: Int64, _ right: Int64) throws -> NaiveValue {
        let result: (partialValue: Int64, overflow: Bool)
        switch sign {
        case "+": result = left.addingReportingOverflow(right)
        case "-": result = left.subtractingReportingOverflow(right)
        case "*": result = left.multipliedReportingOverflow(by: right)
        case "/":
            if right == 0 { return .missing }
            result = left.dividedReportingOverflow(by: right)
        case "%":
            if right == 0 { return .missing }
            result = (right == -1 ? 0 : left % right, false)
        case "**": result = powered(left, right)
        default: throw NaiveDoubt()
        }
        if !result.overflow { return .number(.integer(result.partialValue)) }
        return try doubles(sign, Double(left), Double(right))
    }

    func powered(
        _ base: Int64, _ exponent: Int64
    ) -> (partialValue: Int64, overflow: Bool) {
        if exponent < 0 { return (0, true) }
        if exponent == 0 || base == 1 { return (1, false) }
        if base == 0 { return (0, false) }
        if base == -1 { return (exponent.isMultiple(of: 2) ? 1 : -1, false) }
        if exponent > 64 { return (0, true) }
        var power: Int64 = 1
        for _ in 0..<exponent {
            let next = power.multipliedReportingOverflow(by: base)
            if next.overflow { return (0, true) }
            power = next.partialValue
        }
        return (power, false)
    }

    func doubles(_ sign: String, _ left: Double, _ right: Double) throws -> NaiveValue {
        switch sign {
        case "+": return .result(left + right)
        case "-": return .result(left - right)
        case "*": return .result(left * right)
        case "/": return right == 0 ? .missing : .result(left / right)
        case "%": return .result(left.truncatingRemainder(dividingBy: right))
        case "**": return .result(pow(left, right))
        default: throw NaiveDoubt()
        }
    }

    func decimals(
        _ sign: String, _ left: Decimal, _ right: Decimal
    ) throws -> NaiveValue {
        let result: Decimal
        switch sign {
        case "+":
            result = left + right
            // A sum of numbers of very different size loses digits.
            if result - left != right || result - right != left { throw NaiveDoubt() }
        case "-":
            result = left - right
            if left - result != right || result + right != left { throw NaiveDoubt() }
        case "*": result = left * right
        case "/":
            if right == 0 { return .missing }
            result = left / right
        case "%":
            if right == 0 { return .missing }
            result = try remainder(left, right)
        default: throw NaiveDoubt()
        }
        guard let exact = ExactDecimal(result), String(exact.digits).count <= 30
        else { throw NaiveDoubt() }
        return .number(.decimal(result))
    }

    /// The remainder with the sign of the dividend.
    func remainder(_ left: Decimal, _ right: Decimal) throws -> Decimal {
        guard let first = ExactDecimal(left), let second = ExactDecimal(right)
        else { throw NaiveDoubt() }
        let unit = Swift.min(Int(first.exponent), Int(second.exponent))
        let dividend = try scaled(first.digits, Int(first.exponent) - unit)
        let divisor = try scaled(second.digits, Int(second.exponent) - unit)
        return try decimal(dividend % divisor, exponent: unit, isNegative: first.isNegative)
    }

    func decimal(
        _ digits: UInt128, exponent: Int, isNegative: Bool
    ) throws -> Decimal {
        guard
            let exact = ExactDecimal(digits: digits, exponent: exponent, isNegative: isNegative)
        else { throw NaiveDoubt() }
        return exact.decimal
    }

    func scaled(_ digits: UInt128, _ zeros: Int) throws -> UInt128 {
        var scaled = digits
        for _ in 0..<zeros {
            let next = scaled.multipliedReportingOverflow(by: 10)
            if next.overflow { throw NaiveDoubt() }
            scaled = next.partialValue
        }
        return scaled
    }
}
