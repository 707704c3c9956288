/// The rules `max` and `min`: which of two written values goes further.
///
/// Integers, decimals, doubles, dates and booleans compare as numbers (false is less than true,
/// the two zeros are level), strings by their UTF-8. What has no place in such an order always
/// loses, under either rule: NaN against every number, values of other forms against NaN, null
/// against everything. Two values of one of these kinds are level.
///
/// It is a total order of classes of values, and stamps decide within a class; so merging is
/// commutative, associative and idempotent.
public enum Extremum {
    public enum Standing: Sendable {
        case ahead, level, behind
    }

    /// - Parameter rule: `max` or `min`.
    public static func standing(
        of incoming: Value, against held: Value, by rule: MergeRule
    ) -> Standing {
        let ranks = (rank(of: incoming), rank(of: held))
        if ranks.0 != ranks.1 { return ranks.0 > ranks.1 ? .ahead : .behind }
        guard ranks.0 >= firstOrdered else { return .level }
        if isLess(held, incoming) { return rule == .min ? .behind : .ahead }
        if isLess(incoming, held) { return rule == .min ? .ahead : .behind }
        return .level
    }

    private static let firstOrdered: UInt8 = 16

    /// Of a property's one type all ordered values have one rank; between types the tag decides,
    /// so that the order is total whatever comes.
    private static func rank(of value: Value) -> UInt8 {
        switch value {
        case .null: 0
        case .data, .uuid, .uri, .reference, .group, .unknown: 1
        case .double(let number) where number.isNaN: 2
        case .date(let number) where number.isNaN: 2
        case .bool, .integer, .double, .decimal, .string, .date: firstOrdered + value.tag
        }
    }

    private static func isLess(_ left: Value, _ right: Value) -> Bool {
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
