/// One key that fetched objects are sorted by.
///
/// A missing value sorts before all others, so it comes last in a descending sort. Text sorts by
/// its Unicode scalars unless the options say otherwise; NaN sorts behind all other numbers.
public struct FetchSort: Hashable, Sendable {
    /// A key path through to-one relationships to an attribute or to the `@count` of a to-many,
    /// or `SELF` for the order of the objects' IDs.
    public var keyPath: String
    public var isAscending: Bool
    /// For text: `.caseInsensitive` and `.diacriticInsensitive`.
    public var options: ComparisonOptions

    public init(
        _ keyPath: String, ascending isAscending: Bool = true, options: ComparisonOptions = []
    ) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        self.options = options
    }
}
