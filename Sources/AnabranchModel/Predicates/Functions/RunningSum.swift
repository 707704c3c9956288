package import AnabranchReplication

/// The number and the sum of values that come and go.
package struct RunningSum {
    private var count = 0
    private var integers: Int128 = 0
    private var reals = ExactSum()
    private var realCount = 0
    /// True if there was a value that can't be taken away again: a decimal, or one not finite.
    private var isLost = false

    package init(_ values: some Sequence<PropertyValue>) { for value in values { add(value) } }

    /// Adds a value; a missing one does not count.
    package mutating func add(_ value: PropertyValue) { change(value, 1) }

    /// Removes a value that was added before.
    package mutating func remove(_ value: PropertyValue) { change(value, -1) }

    private mutating func change(_ value: PropertyValue, _ sign: Int) {
        guard !value.isNull else { return }
        count += sign
        switch PredicateNumber(value) {
        case .integer(let number): integers += Int128(number) * Int128(sign)
        case .real(let number):
            if !number.isFinite { isLost = true }
            realCount += sign
            reals.add(number * Double(sign))
        case .decimal: isLost = true
        case nil: break
        }
    }

    /// The count, the sum or the mean; `nil` if they have to be computed from all values.
    package func result(of reduction: ValueReduction, isDecimal: Bool) -> PropertyValue? {
        if reduction == .count { return .integer(Int64(count)) }
        guard !isLost, !isDecimal else { return nil }
        guard realCount > 0 else {
            return reduction == .sum
                ? ValueReduction.sum(of: integers)
                : ValueReduction.average(of: integers, count: count)
        }
        var sum = reals
        sum.add(integers)
        if reduction == .sum { return PredicateNumber.real(sum.result).value }
        return PredicateNumber.real(sum.result / Double(count)).value
    }
}
