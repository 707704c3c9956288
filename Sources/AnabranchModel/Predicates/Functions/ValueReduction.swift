package import AnabranchReplication
import Foundation

/// A value that is computed from all values of a collection.
///
/// Missing values are left out. Without values, the count and the sum are 0, and all others are
/// missing. The result does not depend on the order of the values.
package enum ValueReduction: String, Hashable, Sendable, CaseIterable {
    /// The number of values.
    case count
    /// The sum. That of integers beyond 64 bits becomes a double.
    case sum
    /// The mean: a decimal for decimals, or else a double.
    case average
    /// The least value.
    case minimum
    /// The greatest value.
    case maximum
    /// The value in the middle, or the mean of the two in the middle.
    case median
    /// The most frequent value; the least of several.
    case mode
    /// The standard deviation of all values, divided by their count.
    case standardDeviation
}

extension ValueReduction {
    /// The type of the result; `nil` if values of a type have none.
    func type(for type: AttributeType) -> AttributeType? {
        switch self {
        case .count: return .integer64
        case .minimum, .maximum, .mode:
            return type == .transformable || type == .undefined ? nil : type
        case .sum, .average, .median, .standardDeviation: break
        }
        switch type {
        case .decimal: return self == .standardDeviation ? .double : .decimal
        case .float, .double: return .double
        case .boolean, .integer16, .integer32, .integer64:
            return self == .sum ? .integer64 : .double
        default: return nil
        }
    }

    /// The sum of integers as a value: a double beyond 64 bits.
    package static func sum(of integers: Int128) -> PropertyValue {
        Int64(exactly: integers).map(PropertyValue.integer)
            ?? PredicateNumber.real(real(integers)).value
    }

    /// The mean of integers; missing if there are none.
    package static func average(of integers: Int128, count: Int) -> PropertyValue {
        count == 0 ? .null : PredicateNumber.real(real(integers) / Double(count)).value
    }

    private static func real(_ integers: Int128) -> Double {
        var sum = ExactSum()
        sum.add(integers)
        return sum.result
    }

    /// The result for some values.
    ///
    /// - Parameter isDecimal: True if the values are decimals, which a sum of none is then too.
    package func callAsFunction(_ values: some Sequence<PropertyValue>, isDecimal: Bool)
        -> PropertyValue
    {
        var state = ReductionState(self, isDecimal: isDecimal)
        for value in values { state.add(value) }
        return state.result
    }
}

/// The values of a reduction so far.
package struct ReductionState {
    private let reduction: ValueReduction
    private let isDecimal: Bool
    private var count = 0
    private var integers: Int128 = 0
    private var reals = ExactSum()
    private var hasReals = false
    private var decimals = Decimal()
    private var extreme: PropertyValue = .null
    /// The values, if the reduction needs all of them at once.
    private var values: [PropertyValue] = []

    package init(_ reduction: ValueReduction, isDecimal: Bool) {
        self.reduction = reduction
        self.isDecimal = isDecimal
    }

    package mutating func add(_ value: PropertyValue) {
        if value.isNull { return }
        count += 1
        switch reduction {
        case .count: break
        case .sum, .average: addNumber(value)
        case .minimum: if isFirst(or: .less, value) { extreme = value }
        case .maximum: if isFirst(or: .greater, value) { extreme = value }
        case .median, .mode, .standardDeviation: values.append(value)
        }
    }

    private mutating func addNumber(_ value: PropertyValue) {
        switch PredicateNumber(value) {
        case .integer(let number): integers += Int128(number)
        case .real(let number):
            hasReals = true
            reals.add(number)
        case .decimal(let number): decimals += number.decimal
        case nil: count -= 1
        }
    }

    private func isFirst(or order: ValueOrder.Result, _ value: PropertyValue) -> Bool {
        extreme.isNull || ValueOrder.compare(value, extreme) == order
    }

    package var result: PropertyValue {
        switch reduction {
        case .count: .integer(Int64(count))
        case .sum: sum
        case .average: count == 0 ? .null : average
        case .minimum, .maximum: extreme
        case .median: median
        case .mode: mode
        case .standardDeviation: count == 0 ? .null : deviation
        }
    }

    private var sum: PropertyValue {
        if isDecimal { return ExactDecimal(rounding: decimals).map(PropertyValue.decimal) ?? .null }
        if !hasReals { return ValueReduction.sum(of: integers) }
        return PredicateNumber.real(realSum).value
    }

    private var realSum: Double {
        var sum = reals
        sum.add(integers)
        return sum.result
    }

    private var average: PropertyValue {
        if isDecimal {
            return ExactDecimal(rounding: decimals / Decimal(count)).map(PropertyValue.decimal)
                ?? .null
        }
        return PredicateNumber.real(realSum / Double(count)).value
    }

    private var sorted: [PropertyValue] {
        values.sorted { ValueOrder.compare($0, $1) == .less }
    }

    private var median: PropertyValue {
        let sorted = sorted
        guard let upper = sorted.dropFirst(sorted.count / 2).first else { return .null }
        let lower = sorted.count.isMultiple(of: 2) ? sorted[sorted.count / 2 - 1] : upper
        return ValueReduction.average([lower, upper], isDecimal: isDecimal)
    }

    private var mode: PropertyValue {
        var (best, bestCount): (PropertyValue, Int) = (.null, 0)
        var (current, currentCount): (PropertyValue, Int) = (.null, 0)
        for value in sorted {
            let isSame = ValueOrder.compare(value, current) == .equal
            if !isSame { current = value }
            currentCount = isSame ? currentCount + 1 : 1
            if currentCount > bestCount { (best, bestCount) = (current, currentCount) }
        }
        return best
    }

    private var deviation: PropertyValue {
        let numbers = values.compactMap { PredicateNumber($0)?.double }
        var sum = ExactSum()
        for number in numbers { sum.add(number) }
        let mean = sum.result / Double(numbers.count)
        var squares = ExactSum()
        for number in numbers { squares.add((number - mean) * (number - mean)) }
        return PredicateNumber.real((squares.result / Double(numbers.count)).squareRoot()).value
    }
}
