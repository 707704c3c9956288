/// How long the conflict journal keeps what merging has discarded.
///
/// Applied whenever a page of remote changes is: what is beyond either bound is removed in the
/// same transaction. ``everything`` keeps all until it is purged by hand.
public struct ConflictRetention: Sendable, Hashable {
    /// Entries noticed longer ago, by the device's clock, are removed, in the order in which they
    /// were written down; one that a clock far ahead has noticed goes with those behind it. `nil`
    /// keeps them however old they are.
    public var age: Duration?
    /// As many of the newest entries are kept; `nil` keeps them however many there are. Looked
    /// at when a page has added entries.
    public var count: Int?

    public static let everything = ConflictRetention()

    public init(age: Duration? = nil, count: Int? = nil) {
        self.age = age
        self.count = count
    }
}
