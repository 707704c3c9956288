public import AnabranchModel

/// Which objects a context shall find, and how they come.
///
/// ```swift
/// var request = FetchRequest<Person>()
/// request.predicate = try FetchPredicate("age >= %d", 100)
/// request.sorts = [FetchSort("age")]
/// let people = try context.fetch(request)
/// ```
public struct FetchRequest<Object: ManagedObject> {
    /// Looked up when the request is run.
    public var entityName: String
    /// `nil`: all objects of the entity.
    public var predicate: FetchPredicate?
    /// Values of the predicate's `$variables`.
    public var variables: [String: (any PredicateArgument)?] = [:]
    /// Without sorts the order is that of the store's IDs where there is a limit or an offset,
    /// and otherwise any.
    public var sorts: [FetchSort] = []
    /// Zero for no limit.
    public var fetchLimit = 0
    /// Rows to leave out, after predicate and sorts.
    public var fetchOffset = 0
    public var includesSubentities = true
    /// Whether what the context has not saved yet counts: for membership, order and window, as
    /// ``ManagedObjectContext/fetch(_:)`` says.
    /// Without it, objects still show their unsaved values.
    public var includesPendingChanges = true
    /// Whether objects stay faults until a property is read, though their rows are there already.
    public var returnsObjectsAsFaults = true
    /// Without it the store is asked for IDs only; each object's first property costs a read.
    public var includesPropertyValues = true
    /// Whether registered objects without changes take over what the store has now.
    public var shouldRefreshRefetchedObjects = false
    /// Of a ``FetchedResultsController``, and of ``ManagedObjectContext/fetchBatched(_:)``: with a
    /// number above zero only the IDs of all objects are kept, and what they are sorted by; the
    /// objects are read so many at a time when they are asked for, and let go when nobody holds
    /// them any more. ``ManagedObjectContext/fetch(_:)`` gives all its objects anyway.
    public var fetchBatchSize = 0
    /// To-one and to-many relationships of the entity whose objects come along, with one more
    /// read for each.
    public var relationshipsForPrefetching: [String] = []

    /// For the entity that the class stands for.
    public init() { entityName = Object.entityName }

    public init(entityName: String) { self.entityName = entityName }
}
