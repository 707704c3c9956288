/// How long the conflict journal keeps the values that merging discarded.
///
/// The limits are applied with every page of remote changes, in the page's transaction.
/// ``everything`` keeps all entries until they are purged explicitly.
public struct ConflictRetention: Sendable, Hashable {
    /// The greatest age of an entry, by the device's clock; `nil` for no limit.
    ///
    /// Older entries are removed in the order in which they were recorded. An entry that was
    /// recorded while the clock was far ahead is removed together with those after it.
    public var age: Duration?
    /// The number of newest entries to keep; `nil` for no limit. It is checked when a page has
    /// added entries.
    public var count: Int?

    /// Keeps every entry until it is purged explicitly.
    public static let everything = ConflictRetention()
    /// Keeps the newest 100,000 entries.
    public static let standard = ConflictRetention(count: 100_000)

    /// Creates a retention rule; `nil` means no limit.
    public init(age: Duration? = nil, count: Int? = nil) {
        self.age = age
        self.count = count
    }
}
