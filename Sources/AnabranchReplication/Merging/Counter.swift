/// The merge rule `counter`: the sum of a start and of deltas, each of which is added exactly once.
///
/// The insert contains the start; every later write is a delta in a block of its own. Causal
/// delivery applies each delta once. Their order does not matter, because the sum is that of a
/// finite ring and never fails:
///
/// - integers of 64 bits wrap around, as two's complement does;
/// - decimals are counted in units of 10^−18 and wrap around at 10^38 units. A sum is from −5 ×
///   10^19 to below 5 × 10^19, and differs from the true sum by a multiple of 10^20.
///
/// The scale belongs to the format, not to a model, so a server without a model adds like every
/// client. Null adds nothing. A counter with no start, or with only nulls, begins with its first
/// delta.
package enum Counter {
    /// The number of digits after the point in the unit of a decimal counter.
    package static let decimalScale = 18

    /// Indicates whether a value can be a start or a delta without loss.
    ///
    /// It must be within the bounds of a sum and have at most 18 digits after the point. The
    /// result for null is `false`, although a start may be null.
    package static func counts(_ value: PropertyValue, as type: WireType) -> Bool {
        switch type {
        case .integer64: integer(value) != nil
        case .decimal: units(value) != nil
        default: false
        }
    }

    /// Adds two values. The sum is commutative and associative over all values. Null, and any value
    /// that can't be counted, adds nothing.
    package static func sum(_ first: PropertyValue, _ second: PropertyValue, of type: WireType)
        -> PropertyValue
    {
        switch type {
        case .integer64:
            joined(integer(first), integer(second), by: &+).map { .integer($0) } ?? .null
        case .decimal:
            joined(units(first), units(second)) { wrapped($0 + $1) }.flatMap(decimal) ?? .null
        default: .null
        }
    }

    /// The counter to which nothing was added; null for a type that has no counters.
    package static func zero(of type: WireType) -> PropertyValue {
        switch type {
        case .integer64: .integer(0)
        case .decimal: .decimal(ExactDecimal(0))
        default: .null
        }
    }

    /// Computes the delta that leads from one value to another.
    ///
    /// - Returns: `nil` if the new value is null or can't be counted. A counter can't be reset to
    ///   null.
    package static func delta(from old: PropertyValue, to new: PropertyValue, of type: WireType)
        -> PropertyValue?
    {
        switch type {
        case .integer64:
            integer(new).map { .integer($0 &- (integer(old) ?? 0)) }
        case .decimal:
            units(new).flatMap { decimal(wrapped($0 - (units(old) ?? 0))) }
        default: nil
        }
    }

    private static func joined<Number>(
        _ first: Number?, _ second: Number?, by add: (Number, Number) -> Number
    ) -> Number? {
        guard let first, let second else { return first ?? second }
        return add(first, second)
    }

    private static func integer(_ value: PropertyValue) -> Int64? {
        if case .integer(let number) = value { number } else { nil }
    }

    // MARK: Decimals

    /// Half of 10^38. Units are from −half to below half, so the sum of two never overflows 128
    /// bits.
    private static let half: Int128 = 50_000_000_000_000_000_000_000_000_000_000_000_000

    private static func wrapped(_ units: Int128) -> Int128 {
        if units >= half { return units - 2 * half }
        return units < -half ? units + 2 * half : units
    }

    private static func units(_ value: PropertyValue) -> Int128? {
        guard case .decimal(let number) = value else { return nil }
        let zeros = Int(number.exponent) + decimalScale
        guard zeros >= 0 else { return nil }
        var units = number.digits
        // Zero needs no scaling; any other number leaves the bounds within 38 steps.
        for _ in 0..<(units == 0 ? 0 : zeros) {
            guard units <= UInt128(half) / 10 else { return nil }
            units *= 10
        }
        guard units < UInt128(half) || (units == UInt128(half) && number.isNegative) else {
            return nil
        }
        return number.isNegative ? -Int128(units) : Int128(units)
    }

    private static func decimal(_ units: Int128) -> PropertyValue? {
        ExactDecimal(
            digits: units.magnitude, exponent: -decimalScale, isNegative: units < 0
        ).map { .decimal($0) }
    }
}
