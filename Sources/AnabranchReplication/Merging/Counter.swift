/// The rule `counter`: a start and deltas, of which each is added exactly once.
///
/// The insert carries the start; every later write is a delta in a block of its own. Causal
/// delivery applies each once, and the order does not matter, because the sum is that of a finite
/// ring and never fails:
///
/// - integers of 64 bits wrap, as two's complement does;
/// - decimals count in units of 10^−18 and wrap at 10^38 units: a sum is the one number between
///   −5 × 10^19 and 5 × 10^19 that differs from the true sum by a multiple of 10^20.
///
/// So the scale is the format's, not a model's: a server without a model adds as every client
/// does. Null counts nothing and is what a counter reads that got nothing but nulls; a counter
/// that was never started begins with its first delta.
public enum Counter {
    /// Digits behind the point of a decimal counter's unit.
    public static let decimalScale = 18

    /// Whether the value can be a start or a delta as it is: within the bounds of a sum, a decimal
    /// without digits behind the eighteenth. Null is not; a start may be null all the same.
    public static func counts(_ value: Value, as type: WireType) -> Bool {
        switch type {
        case .integer64: integer(value) != nil
        case .decimal: units(value) != nil
        default: false
        }
    }

    /// Commutative and associative over all values; null, and what does not count, is its zero.
    public static func sum(_ first: Value, _ second: Value, of type: WireType) -> Value {
        switch type {
        case .integer64:
            joined(integer(first), integer(second), by: &+).map { .integer($0) } ?? .null
        case .decimal:
            joined(units(first), units(second)) { wrapped($0 + $1) }.flatMap(decimal) ?? .null
        default: .null
        }
    }

    /// What has to be added to come from one value to another.
    ///
    /// - Returns: `nil` where the new value does not count, null among them: what was counted
    ///   can't be taken back to nothing.
    public static func delta(from old: Value, to new: Value, of type: WireType) -> Value? {
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

    private static func integer(_ value: Value) -> Int64? {
        if case .integer(let number) = value { number } else { nil }
    }

    // MARK: Decimals

    /// Half of 10^38: units lie from −half to below half, so that two never overflow 128 bits.
    private static let half: Int128 = 50_000_000_000_000_000_000_000_000_000_000_000_000

    private static func wrapped(_ units: Int128) -> Int128 {
        if units >= half { return units - 2 * half }
        return units < -half ? units + 2 * half : units
    }

    private static func units(_ value: Value) -> Int128? {
        guard case .decimal(let number) = value else { return nil }
        let zeros = Int(number.exponent) + decimalScale
        guard zeros >= 0 else { return nil }
        var units = number.digits
        // Zero has no digits to scale; any other number leaves the bounds within 38 steps.
        for _ in 0..<(units == 0 ? 0 : zeros) {
            guard units <= UInt128(half) / 10 else { return nil }
            units *= 10
        }
        guard units < UInt128(half) || (units == UInt128(half) && number.isNegative) else {
            return nil
        }
        return number.isNegative ? -Int128(units) : Int128(units)
    }

    private static func decimal(_ units: Int128) -> Value? {
        ExactDecimal(
            digits: units.magnitude, exponent: -decimalScale, isNegative: units < 0
        ).map { .decimal($0) }
    }
}
