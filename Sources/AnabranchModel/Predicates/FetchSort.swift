/// One key by which fetched objects are sorted.
///
/// A missing value sorts before all other values, so it comes last in a descending sort. Text sorts
/// by its Unicode scalars unless the options change that; NaN sorts after all other numbers.
public struct FetchSort: Hashable, Sendable {
    /// The key path to the value.
    ///
    /// It goes through to-one relationships to an attribute, or to the `@count`, `@sum`, `@avg`,
    /// `@min` or `@max` of a to-many. `SELF` sorts by the objects' IDs.
    public var keyPath: String
    /// True if smaller values come first.
    public var isAscending: Bool
    /// The options for text: `.caseInsensitive`, `.diacriticInsensitive`, and for the order that
    /// people expect `.localeSensitive` or `.localizedStandard`.
    public var options: ComparisonOptions

    /// Creates a sort key.
    public init(
        _ keyPath: String, ascending isAscending: Bool = true, options: ComparisonOptions = []
    ) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        self.options = options
    }
}
