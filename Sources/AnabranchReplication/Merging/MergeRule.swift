/// The merge rule of a property: it decides what the writes of several replicas become.
///
/// Every replica gets the same result in every causal order of the writes. The numbers are part of
/// the format. `text` has a number but can't be merged yet.
public struct MergeRule: RawRepresentable, Hashable, Sendable {
    /// The number of the rule in the format.
    public let rawValue: UInt8
    /// Creates a rule from its number, which may be unknown to this version.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The write with the greatest stamp wins. A concurrent write that loses is recorded in the
    /// conflict journal.
    public static let lastWriter = MergeRule(rawValue: 1)
    /// The write with the least stamp wins.
    public static let firstWriter = MergeRule(rawValue: 2)
    /// The greatest value wins, whether the writes were concurrent or not. Of equal values the one
    /// with the greatest stamp wins.
    public static let max = MergeRule(rawValue: 3)
    /// The least value wins, whether the writes were concurrent or not. Of equal values the one
    /// with the greatest stamp wins.
    public static let min = MergeRule(rawValue: 4)
    /// The value is the sum of the start and of every delta.
    public static let counter = MergeRule(rawValue: 5)
    /// An add wins against a concurrent remove, which removes only the tags that its author saw.
    public static let set = MergeRule(rawValue: 6)
    /// A set with an order. A tag contains the positions; a move removes the tags that its author
    /// saw, and the greatest tag's positions are visible.
    public static let list = MergeRule(rawValue: 7)
    /// A text that is edited character by character; reserved.
    public static let text = MergeRule(rawValue: 8)
    /// Concurrent values are kept beside each other until a write that saw them replaces them.
    public static let keepBoth = MergeRule(rawValue: 9)
    /// An attribute group: the map of its members is one value, and the greatest stamp wins.
    public static let group = MergeRule(rawValue: 10)

    /// Indicates whether a cell with this rule is a register. A register value that an `updateWins`
    /// delete has not seen wins against that delete.
    ///
    /// Unknown rules count as registers. A counter is none.
    package var isRegister: Bool { self != .counter }
}

extension MergeRule: CustomStringConvertible {
    /// The name of the rule, or its number if it is unknown.
    public var description: String {
        let names = [
            "lastWriter", "firstWriter", "max", "min", "counter", "set", "list", "text",
            "keepBoth", "group",
        ]
        guard (1...names.count).contains(Int(rawValue)) else { return "rule \(rawValue)" }
        return names[Int(rawValue) - 1]
    }
}
