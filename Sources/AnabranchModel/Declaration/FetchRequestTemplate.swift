/// A fetch request that a model keeps under a name.
///
/// The predicate is kept as text and parsed when the template is used. The settings mean the same
/// as those of the same names in a fetch request.
public struct FetchRequestTemplate: Hashable, Sendable {
    /// The name; unique in the model.
    public var name: String
    /// The name of the entity to fetch.
    package var entity: String
    /// A predicate format, which may have `$variables`; `nil` fetches all objects.
    package var predicateFormat: String?
    /// The greatest number of results; `nil` is no limit.
    package var fetchLimit: Int?
    /// The number of objects to read at a time; 0 reads all at once.
    public var fetchBatchSize = 0
    /// True if the result includes objects of sub-entities.
    public var includesSubentities = true
    /// True if the result includes unsaved changes of the context.
    public var includesPendingChanges = true
    /// True if the fetch reads the property values of the objects.
    public var includesPropertyValues = true
    /// True if the fetch returns faults.
    public var returnsObjectsAsFaults = true

    /// Declares a template. The other settings have the defaults of a fetch request.
    public init(
        _ name: String, entity: String, predicateFormat: String? = nil, fetchLimit: Int? = nil
    ) {
        self.name = name
        self.entity = entity
        self.predicateFormat = predicateFormat
        self.fetchLimit = fetchLimit
    }
}
