public import AnabranchModel

/// A description of the objects that a context is to find, and of the form in which they come.
///
/// ```swift
/// var request = FetchRequest<Person>()
/// request.predicate = try FetchPredicate("age >= %d", 100)
/// request.sorts = [FetchSort("age")]
/// let people = try context.fetch(request)
/// ```
public struct FetchRequest<Object: ManagedObject> {
    /// The name of the entity, which is looked up when the request runs.
    public var entityName: String
    /// The condition for the objects; `nil` finds all objects of the entity.
    public var predicate: FetchPredicate?
    /// The values of the predicate's `$variables`, by name without the `$`.
    public var variables: [String: (any PredicateArgument)?] = [:]
    /// The order of the objects. Without sorts the order is that of the store's IDs if there is a
    /// limit or an offset, and otherwise undefined.
    public var sorts: [FetchSort] = []
    /// The greatest number of objects; zero for no limit.
    public var fetchLimit = 0
    /// The number of objects to skip, after predicate and sorts.
    public var fetchOffset = 0
    /// True if objects of sub-entities are found too.
    public var includesSubentities = true
    /// True if unsaved changes of the context count for membership, order and limit, as
    /// ``ManagedObjectContext/fetch(_:)->[Object]`` describes. If it is false, objects still show
    /// their unsaved values.
    public var includesPendingChanges = true
    /// True if objects stay faults until a property is read, although their rows are already in
    /// memory.
    public var returnsObjectsAsFaults = true
    /// True if the fetch reads whole rows. If it is false, it reads only IDs, and the first
    /// property of each object costs a read.
    public var includesPropertyValues = true
    /// True if registered objects without changes take the values that the store has now.
    public var shouldRefreshRefetchedObjects = false
    /// The number of objects that are read at a time by a ``FetchedResultsController`` and by
    /// ``ManagedObjectContext/fetchBatched(_:)``. With a number above zero, these keep only the IDs
    /// and sort keys of all objects; objects are read in batches on access and released when the
    /// app no longer holds them. ``ManagedObjectContext/fetch(_:)->[Object]`` returns all its
    /// objects in any case.
    public var fetchBatchSize = 0
    /// The relationships to prefetch, by key paths such as `reports.passport`: their objects are
    /// read together with the found objects, by one more read for each relationship, and stay in
    /// memory while one of the found objects is in use.
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// Creates a request for the entity that the class represents.
    public init() { entityName = Object.entityName }

    /// Creates a request for an entity by its name.
    public init(entityName: String) { self.entityName = entityName }
}
