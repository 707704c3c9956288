import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveScope {
    func cast(_ cell: NaiveCell, to type: String) throws -> NaiveCell {
        if cell.isCollection { throw NaiveDoubt() }
        if cell.isMissing { return .missing }
        let value: NaiveValue
        switch type {
        case "NSNumber": value = try castToNumber(cell.value)
        case "NSDecimalNumber": value = try castToDecimal(cell.value)
        case "NSDate": value = try castToDate(cell.value)
        case "NSString", "NSURL":
            guard case .text = cell.value else { throw NaiveDoubt() }
            value = cell.value
        case "NSUUID": value = try castToUUID(cell.value)
        default: throw NaiveDoubt()
        }
        if cell.origin.isConstant { return NaiveCell(value, .maybeConstant) }
        let isWhole = type == "NSNumber" && cell.isWhole
        return NaiveCell(value, isWhole ? value.wholeOrigin : .computed)
    }

    func castToNumber(_ value: NaiveValue) throws -> NaiveValue {
        switch value {
        case .number: return value
        case .date(let seconds): return .result(seconds)
        case .text(let text):
            if let integer = Int64(text) { return .number(.integer(integer)) }
            return Double(decimalText: text).map { NaiveValue.result($0) } ?? .missing
        default: throw NaiveDoubt()
        }
    }

    func castToDecimal(_ value: NaiveValue) throws -> NaiveValue {
        let description: String
        switch value {
        case .number(.integer(let integer)): description = String(integer)
        case .number(.double(let double)): description = double.description
        case .number(.decimal): return value
        case .text(let text): description = text
        default: throw NaiveDoubt()
        }
        guard let exact = ExactDecimal(description) else { return .missing }
        return .number(.decimal(exact.decimal))
    }

    func castToDate(_ value: NaiveValue) throws -> NaiveValue {
        switch value {
        case .date: return value
        case .number(let number): return Self.date(try number.asDouble())
        default: throw NaiveDoubt()
        }
    }

    func castToUUID(_ value: NaiveValue) throws -> NaiveValue {
        switch value {
        case .uuid: return value
        case .text(let text): return UUID(uuidString: text).map { NaiveValue.of($0) } ?? .missing
        default: throw NaiveDoubt()
        }
    }
}
