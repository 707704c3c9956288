/// How concurrent writes of one property become one: replica against replica.
///
/// The numbers are part of the format. `text` has a name and no merging yet;
/// ``WireProperty/isMergeable`` tells which rule merges which type.
public struct MergeRule: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The greatest stamp wins; what a concurrent write loses goes to the conflict journal.
    public static let lastWriter = MergeRule(rawValue: 1)
    /// The least stamp wins: write once.
    public static let firstWriter = MergeRule(rawValue: 2)
    /// The greatest value of all writes, ordered or not; of equal ones the greatest stamp.
    public static let max = MergeRule(rawValue: 3)
    /// The least value of all writes, ordered or not; of equal ones the greatest stamp.
    public static let min = MergeRule(rawValue: 4)
    /// The sum of the start and of every delta.
    public static let counter = MergeRule(rawValue: 5)
    /// Add wins over a concurrent remove: a remove takes away only the tags that it saw.
    public static let set = MergeRule(rawValue: 6)
    /// A set with an order: a tag carries the positions, a move takes away the tags that it saw,
    /// and the greatest tag's positions show.
    public static let list = MergeRule(rawValue: 7)
    /// A text edited character by character.
    public static let text = MergeRule(rawValue: 8)
    /// Concurrent values stay beside each other until a write that saw them takes their place.
    public static let keepBoth = MergeRule(rawValue: 9)
    /// Attributes that change together: their map is one value, and the greatest stamp wins.
    public static let group = MergeRule(rawValue: 10)

    /// Whether a cell under this rule brings a record back that an `updateWins` delete has not
    /// seen it in: every register does, also under a rule that is not known here; a counter,
    /// which is no register, does not.
    public var isRegister: Bool { self != .counter }
}

extension MergeRule: CustomStringConvertible {
    public var description: String {
        let names = [
            "lastWriter", "firstWriter", "max", "min", "counter", "set", "list", "text",
            "keepBoth", "group",
        ]
        guard (1...names.count).contains(Int(rawValue)) else { return "rule \(rawValue)" }
        return names[Int(rawValue) - 1]
    }
}
