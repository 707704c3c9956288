package import AnabranchReplication
import Foundation

/// A function of values in a predicate.
///
/// A store calls it from SQL and a context calls it in memory, so both give the same result. The
/// result is missing if an argument is missing, or if it is not a number, as that of a division by
/// zero.
///
/// Integers are added, subtracted, multiplied and raised exactly; a result beyond 64 bits becomes a
/// double. A division of integers cuts off the fraction. A double and another number give a double;
/// a decimal and an integer give a decimal, which is rounded to 38 digits.
package enum ValueFunction: String, Hashable, Sendable, CaseIterable {
    /// The sum of two numbers, or a time later by a number of seconds.
    case add
    /// The difference of two numbers, the seconds between two times, or a time earlier by seconds.
    case subtract
    /// The product of two numbers.
    case multiply
    /// The quotient of two numbers.
    case divide
    /// The remainder of a division, with the sign of the first number.
    case modulus
    /// The first number to the power of the second.
    case power
    /// The number with the other sign.
    case negate
    /// The bits that both integers have.
    case bitwiseAnd
    /// The bits that one of two integers has.
    case bitwiseOr
    /// The bits that exactly one of two integers has.
    case bitwiseExclusiveOr
    /// An integer with its bits moved to higher places.
    case shiftLeft
    /// An integer with its bits moved to lower places; the sign stays.
    case shiftRight
    /// An integer with all bits inverted.
    case complement
    /// The number without its sign.
    case absolute
    /// The least whole number that is not less.
    case ceiling
    /// The greatest whole number that is not greater.
    case floor
    /// The number without its fraction.
    case truncate
    /// The nearest whole number; a half is rounded away from zero.
    case round
    /// The square root.
    case squareRoot
    /// The power of e.
    case exponential
    /// The logarithm to base 10.
    case logarithm
    /// The logarithm to base e.
    case naturalLogarithm
    /// The text in capitals, without a locale.
    case uppercase
    /// The text in small letters, without a locale.
    case lowercase
    /// The text without case and diacritical marks, as `[cd]` compares it.
    case canonical
    /// The length of a text in UTF-16 units, as Core Data counts it.
    case length
    /// The year of a time in a time zone, by the Gregorian calendar.
    case year
    /// The month of a time in a time zone, from 1 to 12.
    case month
    /// The day of a time in its month, in a time zone.
    case day
    /// A number: the number in a text, or the seconds of a time since 2001.
    case toNumber
    /// An exact decimal.
    case toDecimal
    /// The printed form of a value.
    case toText
    /// The printed form of a float, which has fewer digits than a double.
    case floatToText
    /// The time after a number of seconds since 2001.
    case toDate
    /// The UUID in a text.
    case toUUID
    /// The URI in a text.
    case toURI
}

// MARK: Types

extension ValueFunction {
    private enum Family { case integer, real, decimal, date, text, uuid, bytes, other }

    private static func family(_ type: AttributeType) -> Family {
        switch type {
        case .boolean, .integer16, .integer32, .integer64: .integer
        case .float, .double: .real
        case .decimal: .decimal
        case .date: .date
        case .string, .uri: .text
        case .uuid: .uuid
        case .binary: .bytes
        case .transformable, .undefined: .other
        }
    }

    /// The type of the result; `nil` if the function has no result for arguments of these types.
    func type(for types: [AttributeType]) -> AttributeType? {
        let families = types.map(Self.family)
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .power:
            guard families.count == 2 else { return nil }
            return self.type(families[0], families[1])
        case .bitwiseAnd, .bitwiseOr, .bitwiseExclusiveOr, .shiftLeft, .shiftRight:
            return families == [.integer, .integer] ? .integer64 : nil
        case .complement: return families == [.integer] ? .integer64 : nil
        case .negate, .absolute, .ceiling, .floor, .truncate, .round:
            return families.count == 1 ? Self.number(families[0]) : nil
        case .squareRoot, .exponential, .logarithm, .naturalLogarithm:
            return families.count == 1 && Self.number(families[0]) != nil ? .double : nil
        case .uppercase, .lowercase, .canonical: return families == [.text] ? .string : nil
        case .length: return families == [.text] ? .integer64 : nil
        case .year, .month, .day: return families == [.date, .text] ? .integer64 : nil
        case .toNumber, .toDecimal, .toText, .floatToText, .toDate, .toUUID, .toURI:
            return families.count == 1 ? converted(families[0], from: types[0]) : nil
        }
    }

    private func type(_ left: Family, _ right: Family) -> AttributeType? {
        switch (self, left, right) {
        case (.subtract, .date, .date): return .double
        case (.add, .date, _), (.subtract, .date, _):
            return Self.number(right) == nil ? nil : .date
        case (.add, _, .date): return Self.number(left) == nil ? nil : .date
        default: break
        }
        guard let own = Self.number(left), let other = Self.number(right) else { return nil }
        if own == .double || other == .double { return .double }
        let isDecimal = own == .decimal || other == .decimal
        if self == .power { return isDecimal ? .double : .integer64 }
        return isDecimal ? .decimal : .integer64
    }

    private static func number(_ family: Family) -> AttributeType? {
        switch family {
        case .integer: .integer64
        case .real: .double
        case .decimal: .decimal
        case .date, .text, .uuid, .bytes, .other: nil
        }
    }

    private func converted(_ family: Family, from type: AttributeType) -> AttributeType? {
        switch (self, family) {
        case (.toNumber, .date), (.toNumber, .text): .double
        case (.toNumber, _): Self.number(family)
        case (.toDecimal, .text), (.toDecimal, .integer), (.toDecimal, .real),
            (.toDecimal, .decimal):
            .decimal
        case (.toText, .other), (.floatToText, .other): nil
        case (.toText, _), (.floatToText, _): .string
        case (.toDate, .date), (.toDate, .integer), (.toDate, .real), (.toDate, .decimal): .date
        case (.toUUID, .text), (.toUUID, .uuid): .uuid
        case (.toURI, .text): .uri
        default: nil
        }
    }
}

// MARK: Results

extension ValueFunction {
    /// The result for arguments of types that the function takes; null for others.
    ///
    /// - Parameter type: The type of the result, as ``type(for:)`` gives it. An argument may turn
    ///   out to be an integer where its type is double, or a double where its type is integer, so
    ///   the result may have to be made a double or a decimal.
    package func callAsFunction(_ arguments: [PropertyValue], as type: AttributeType)
        -> PropertyValue
    {
        let result = self(arguments)
        switch (type, result) {
        case (.double, .decimal): return PredicateNumber(result).map { .double($0.double) } ?? .null
        case (.decimal, .double), (.decimal, .integer):
            return PredicateNumber(result)?.decimal.map(PropertyValue.decimal) ?? .null
        default: return result
        }
    }

    /// The result for arguments of types that the function takes; null for others.
    package func callAsFunction(_ arguments: [PropertyValue]) -> PropertyValue {
        guard let first = arguments.first, !arguments.contains(where: \.isNull) else {
            return .null
        }
        switch self {
        case .add, .subtract: return moment(first, arguments[1]) ?? number(arguments)
        case .uppercase: return first.text.map { .string($0.uppercased()) } ?? .null
        case .lowercase: return first.text.map { .string($0.lowercased()) } ?? .null
        case .canonical:
            return first.text.map {
                .string(TextFolding.fold($0, options: [.caseInsensitive, .diacriticInsensitive]))
            } ?? .null
        case .length: return first.text.map { .integer(Int64($0.utf16.count)) } ?? .null
        case .year, .month, .day: return calendarPart(of: first, in: arguments[1])
        case .toNumber, .toDecimal, .toText, .floatToText, .toDate, .toUUID, .toURI:
            return converted(first)
        default: return number(arguments)
        }
    }

    private func moment(_ left: PropertyValue, _ right: PropertyValue) -> PropertyValue? {
        switch (left, right) {
        case (.date(let own), .date(let other)) where self == .subtract:
            PredicateNumber.real(own - other).value
        case (.date(let seconds), _):
            PredicateNumber(right).map { Self.date(seconds, self == .add ? $0.double : -$0.double) }
        case (_, .date(let seconds)):
            PredicateNumber(left).map { Self.date(seconds, $0.double) }
        default: nil
        }
    }

    private func calendarPart(of time: PropertyValue, in zone: PropertyValue) -> PropertyValue {
        guard case .date(let seconds) = time, let zone = zone.text,
            let calendar = ZonedCalendar.calendar(in: zone)
        else { return .null }
        let part: Calendar.Component =
            switch self {
            case .month: .month
            case .day: .day
            default: .year
            }
        return calendar.part(part, of: seconds).map(PropertyValue.integer) ?? .null
    }

    private static func date(_ seconds: Double, _ difference: Double) -> PropertyValue {
        let sum = seconds + difference
        return sum.isNaN ? .null : .date(sum)
    }

    private func number(_ arguments: [PropertyValue]) -> PropertyValue {
        let numbers = arguments.compactMap { PredicateNumber($0) }
        guard numbers.count == arguments.count, let first = numbers.first else { return .null }
        return switch numbers.count {
        case 1: (PredicateArithmetic(function: self).of(first) ?? .real(.nan)).value
        case 2: (PredicateArithmetic(function: self).of(first, numbers[1]) ?? .real(.nan)).value
        default: .null
        }
    }

    private func converted(_ value: PropertyValue) -> PropertyValue {
        switch self {
        case .toNumber: Self.number(in: value)
        case .toDecimal: Self.decimal(in: value)
        case .toText:
            value.text.map(PropertyValue.string) ?? value.printedForm(as: .double).map(
                PropertyValue.string)
                ?? .null
        case .floatToText: value.printedForm(as: .float).map(PropertyValue.string) ?? .null
        case .toDate: if case .date = value { value } else { Self.date(in: value) }
        case .toUUID:
            if case .uuid = value {
                value
            } else {
                value.text.flatMap { UUID(uuidString: $0) }.map(PropertyValue.uuid) ?? .null
            }
        case .toURI: value.text.map(PropertyValue.uri) ?? .null
        default: .null
        }
    }

    private static func number(in value: PropertyValue) -> PropertyValue {
        switch value {
        case .date(let seconds): return PredicateNumber.real(seconds).value
        case .string(let text), .uri(let text):
            if let integer = Int64(text) { return .integer(integer) }
            return PredicateNumber.real(Double(decimalText: text) ?? .nan).value
        default: return PredicateNumber(value)?.value ?? .null
        }
    }

    private static func decimal(in value: PropertyValue) -> PropertyValue {
        if let text = value.text { return ExactDecimal(text).map(PropertyValue.decimal) ?? .null }
        return PredicateNumber(value)?.decimal.map(PropertyValue.decimal) ?? .null
    }

    private static func date(in value: PropertyValue) -> PropertyValue {
        PredicateNumber(value).map { date(0, $0.double) } ?? .null
    }
}
