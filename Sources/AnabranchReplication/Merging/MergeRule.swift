/// How concurrent writes of one property become one: replica against replica.
///
/// The numbers are part of the format. Those without a name yet are reserved for the rules of the
/// design: `firstWriter` 2, `max` 3, `min` 4, `counter` 5, `list` 7, `text` 8, `keepBoth` 9,
/// `group` 10.
public struct MergeRule: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The greatest stamp wins; what a concurrent write loses goes to the conflict journal.
    public static let lastWriter = MergeRule(rawValue: 1)
    /// Add wins over a concurrent remove: a remove takes away only the tags that it saw.
    public static let set = MergeRule(rawValue: 6)
}

extension MergeRule: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lastWriter: "lastWriter"
        case .set: "set"
        default: "rule \(rawValue)"
        }
    }
}
