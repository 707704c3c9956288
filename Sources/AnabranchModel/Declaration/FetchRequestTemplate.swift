/// A fetch request that a model keeps under a name.
///
/// Kept as text: the predicate is parsed when the template is used. What the settings mean is told
/// by those of the same names of a fetch request.
public struct FetchRequestTemplate: Hashable, Sendable {
    public var name: String
    public var entity: String
    /// A predicate format, which may have `$variables`; `nil` fetches all.
    public var predicateFormat: String?
    /// The greatest number of results; `nil` is no limit.
    public var fetchLimit: Int?
    public var fetchBatchSize = 0
    public var includesSubentities = true
    public var includesPendingChanges = true
    public var includesPropertyValues = true
    public var returnsObjectsAsFaults = true

    public init(
        _ name: String, entity: String, predicateFormat: String? = nil, fetchLimit: Int? = nil
    ) {
        self.name = name
        self.entity = entity
        self.predicateFormat = predicateFormat
        self.fetchLimit = fetchLimit
    }
}
