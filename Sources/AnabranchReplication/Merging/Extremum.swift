/// The merge rules `max` and `min`: the comparison of two written values.
///
/// Integers, decimals, doubles, dates and booleans compare as numbers; false is less than true, and
/// the two zeros are equal. Strings compare by their UTF-8 bytes. Values outside these orders lose
/// under both rules: null loses against everything, other kinds of values against NaN, and NaN
/// against every number. Two values of one of these kinds are equal.
///
/// This is a total order over classes of equal values, and stamps decide within a class. So merging
/// is commutative, associative and idempotent.
@usableFromInline package enum Extremum {
    /// The result of comparing an incoming value with the held one.
    @usableFromInline package enum Comparison: Sendable {
        /// The incoming value wins, equals the held one, or loses.
        case ahead, level, behind
    }

    /// Compares an incoming value with the held one.
    ///
    /// - Parameters:
    ///   - incoming: The value of the incoming write.
    ///   - held: The value that the property has.
    ///   - rule: `max` or `min`.
    @usableFromInline package static func comparison(
        of incoming: PropertyValue, against held: PropertyValue, by rule: MergeRule
    ) -> Comparison {
        let ranks = (rank(of: incoming), rank(of: held))
        if ranks.0 != ranks.1 { return ranks.0 > ranks.1 ? .ahead : .behind }
        guard ranks.0 >= firstOrdered else { return .level }
        if isLess(held, incoming) { return rule == .min ? .behind : .ahead }
        if isLess(incoming, held) { return rule == .min ? .ahead : .behind }
        return .level
    }

    private static let firstOrdered: UInt8 = 16

    /// The rank of a value's kind. The ordered values of one property type have one rank. Between
    /// types the tag decides, so the order is total over all values.
    private static func rank(of value: PropertyValue) -> UInt8 {
        switch value {
        case .null: 0
        case .data, .uuid, .uri, .reference, .group, .unknown: 1
        case .double(let number) where number.isNaN: 2
        case .date(let number) where number.isNaN: 2
        case .bool, .integer, .double, .decimal, .string, .date: firstOrdered + value.tag
        }
    }

    private static func isLess(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.decimal(let left), .decimal(let right)): left < right
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        default: false
        }
    }
}
