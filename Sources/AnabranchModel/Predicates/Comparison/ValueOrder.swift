package import AnabranchReplication
import Foundation

/// The order of values in predicates and sorts, the same as SQL's over the stored forms.
///
/// Numbers compare by value across their types, exactly; NaN equals itself and is greater than
/// every other number. Texts compare by their UTF-8 bytes, which is the order of Unicode scalars.
package enum ValueOrder {
    package enum Result { case less, equal, greater }

    private enum Kind { case number, text, date, data, uuid, other }

    private static func kind(_ value: PropertyValue) -> Kind {
        switch value {
        case .bool, .integer, .double, .decimal: .number
        case .string, .uri: .text
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .null, .reference, .group, .unknown: .other
        }
    }

    static func areComparable(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
        left.isNull || right.isNull || kind(left) == kind(right)
    }

    /// Compares two values; `nil` if one is missing or their kinds differ.
    package static func compare(_ left: PropertyValue, _ right: PropertyValue) -> Result? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): order(left, right)
        case (.double(let left), .double(let right)), (.date(let left), .date(let right)):
            order(left, right)
        case (.string(let left), .string(let right)), (.string(let left), .uri(let right)),
            (.uri(let left), .string(let right)), (.uri(let left), .uri(let right)):
            order(left.utf8, right.utf8)
        case (.data(let left), .data(let right)): order(left, right)
        case (.uuid(let left), .uuid(let right)):
            withUnsafeBytes(of: left.uuid) { left in
                withUnsafeBytes(of: right.uuid) { order(left, $0) }
            }
        default: kind(left) == .number && kind(right) == .number ? numbers(left, right) : nil
        }
    }

    private static func numbers(_ left: PropertyValue, _ right: PropertyValue) -> Result? {
        switch (left, right) {
        case (.bool(let flag), _): compare(.integer(flag ? 1 : 0), right)
        case (_, .bool(let flag)): compare(left, .integer(flag ? 1 : 0))
        case (.integer(let left), .double(let right)): order(left, right)
        case (.double(let left), .integer(let right)): reversed(order(right, left))
        case (.decimal(let left), .decimal(let right)): order(left, right)
        case (.decimal(let left), .integer(let right)): order(left, ExactDecimal(right))
        case (.integer(let left), .decimal(let right)): order(ExactDecimal(left), right)
        case (.decimal(let left), .double(let right)): order(left, right)
        case (.double(let left), .decimal(let right)): reversed(order(right, left))
        default: nil
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Result {
        left < right ? .less : right < left ? .greater : .equal
    }

    private static func order(_ left: Double, _ right: Double) -> Result {
        if left.isNaN || right.isNaN { return order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
        return left < right ? .less : left > right ? .greater : .equal
    }

    private static func order(
        _ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>
    ) -> Result {
        var (left, right) = (left.makeIterator(), right.makeIterator())
        while true {
            switch (left.next(), right.next()) {
            case (nil, nil): return .equal
            case (nil, _): return .less
            case (_, nil): return .greater
            case (let own?, let other?):
                if own != other { return own < other ? .less : .greater }
            }
        }
    }

    private static func order(_ left: Int64, _ right: Double) -> Result {
        if right.isNaN || right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = right.rounded(.towardZero)
        let result = order(left, Int64(whole))
        return result == .equal ? order(whole, right) : result
    }

    /// Compares a decimal with a double.
    ///
    /// Beyond the range of decimals the sign decides; a double too small for a decimal counts as
    /// zero.
    private static func order(_ left: ExactDecimal, _ right: Double) -> Result {
        if right.isNaN || right == .infinity { return .less }
        if right == -.infinity { return .greater }
        if let decimal = ExactDecimal("\(right)") { return order(left, decimal) }
        if right.magnitude < 1 { return order(left, .zero) }
        return right > 0 ? .less : .greater
    }

    private static func reversed(_ result: Result) -> Result {
        switch result {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}
