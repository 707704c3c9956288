import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveScope {
    func unary(_ name: String, _ argument: NaiveCell) throws -> NaiveCell {
        if argument.isCollection { throw NaiveDoubt() }
        if name == "noindex" { return argument.passedOn }
        let value: NaiveValue
        switch argument.value {
        case .missing: return .missing
        case .text(let text): value = try textual(name, text)
        case .number(.integer(let integer)): value = try whole(name, integer)
        case .number(.double(let double)): value = try real(name, double)
        case .number(.decimal(let decimal)): value = try exact(name, decimal)
        default: throw NaiveDoubt()
        }
        if argument.origin.isConstant { return NaiveCell(value, .maybeConstant) }
        if argument.origin == .sumOfNone { return NaiveCell(value, .sumOfNone) }
        let keepsType = !["sqrt", "exp", "log", "ln"].contains(name)
        return NaiveCell(value, argument.isWhole && keepsType ? value.wholeOrigin : .computed)
    }

    func textual(_ name: String, _ text: String) throws -> NaiveValue {
        switch name {
        case "uppercase": return .text(text.uppercased())
        case "lowercase": return .text(text.lowercased())
        case "canonical":
            let folding = NaiveFolding(ignoresCase: true, ignoresDiacritics: true)
            return .text(folding.fold(text))
        case "length": return .number(.integer(Int64(text.utf16.count)))
        default: throw NaiveDoubt()
        }
    }

    func whole(_ name: String, _ integer: Int64) throws -> NaiveValue {
        switch name {
        case "-":
            return integer == .min
                ? .number(.double(-Double(integer))) : .number(.integer(-integer))
        case "~": return .number(.integer(~integer))
        case "abs":
            if integer < 0 { return try whole("-", integer) }
            return .number(.integer(integer))
        case "ceiling", "floor", "trunc", "round": return .number(.integer(integer))
        default: return try real(name, Double(integer))
        }
    }

    func real(_ name: String, _ double: Double) throws -> NaiveValue {
        switch name {
        case "-": return .result(-double)
        case "abs": return .result(double.magnitude)
        case "ceiling": return .result(double.rounded(.up))
        case "floor": return .result(double.rounded(.down))
        case "trunc": return .result(double.rounded(.towardZero))
        case "round": return .result(double.rounded(.toNearestOrAwayFromZero))
        case "sqrt": return .result(double.squareRoot())
        case "exp": return .result(exp(double))
        case "log": return .result(log10(double))
        case "ln": return .result(log(double))
        default: throw NaiveDoubt()
        }
    }

    func exact(_ name: String, _ decimal: Decimal) throws -> NaiveValue {
        guard let exact = ExactDecimal(decimal) else { throw NaiveDoubt() }
        switch name {
        case "-": return .number(.decimal(0 - decimal))
        case "abs": return .number(.decimal(decimal < 0 ? 0 - decimal : decimal))
        case "ceiling", "floor", "trunc", "round":
            return .number(.decimal(try rounded(name, exact)))
        default: return try real(name, NaiveNumber.decimal(decimal).asDouble())
        }
    }

    func rounded(_ name: String, _ number: ExactDecimal) throws -> Decimal {
        let places = -Int(number.exponent)
        if places <= 0 { return number.decimal }
        guard places <= 37 else { throw NaiveDoubt() }
        let unit = try scaled(1, places)
        let (whole, rest) = number.digits.quotientAndRemainder(dividingBy: unit)
        let isUp: Bool
        switch name {
        case "ceiling": isUp = rest > 0 && !number.isNegative
        case "floor": isUp = rest > 0 && number.isNegative
        case "round": isUp = rest >= unit / 2
        default: isUp = false
        }
        return try decimal(
            whole + (isUp ? 1 : 0), exponent: 0, isNegative: number.isNegative)
    }
}
