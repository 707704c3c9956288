public import AnabranchModel

/// A request for values instead of objects: some properties, or values that are computed from many
/// objects.
///
/// ```swift
/// var request = RowRequest<Employee>()
/// request.propertiesToFetch = [
///     "department.name", .count(as: "people"), .sum("salary", as: "cost"),
/// ]
/// request.propertiesToGroupBy = ["department.name"]
/// request.havingPredicate = try FetchPredicate("people > 10")
/// request.sorts = [FetchSort("cost", ascending: false)]
/// for row in try context.fetch(request) {
///     let cost: Int? = row["cost"]
/// }
/// ```
///
/// Rows show what is saved, and no unsaved change; see ``includesPendingChanges``.
public struct RowRequest<Object: ManagedObject> {
    /// The name of the entity, which is looked up when the request runs.
    public var entityName: String
    /// The columns of a row; without any, all attributes that the store has.
    ///
    /// A relationship that is to-one gives the ID of its object, a to-many is refused. A function
    /// of a collection, such as ``FetchColumn/sum(_:as:)-(String,_)``, is computed over all rows of
    /// a group, or over all rows if there are no groups.
    public var propertiesToFetch: [FetchColumn] = []
    /// The condition for the objects; `nil` for all objects of the entity.
    public var predicate: FetchPredicate?
    /// The values of the `$variables` of both predicates, by name without the `$`.
    public var variables: [String: (any PredicateArgument)?] = [:]
    /// The names of columns, or key paths. Objects with equal values of all of them are a group,
    /// and a row stands for a group. A value that can differ within a group is then no column.
    public var propertiesToGroupBy: [String] = []
    /// The condition for groups. It can use the names of columns, as keys or as `$name`, and
    /// functions such as `sum(salary)`.
    public var havingPredicate: FetchPredicate?
    /// The order of the rows, by key paths or by names of columns.
    public var sorts: [FetchSort] = []
    /// The greatest number of rows; zero for no limit.
    public var fetchLimit = 0
    /// The number of rows to skip.
    public var fetchOffset = 0
    /// True if equal rows are returned once.
    public var returnsDistinctResults = false
    /// True if objects of sub-entities count too.
    public var includesSubentities = true
    /// True if unsaved changes have to count. Because rows come from the store, the fetch then
    /// throws while its context, or a parent of that, has any.
    public var includesPendingChanges = false

    /// Creates a request for the entity that the class represents.
    public init() { entityName = Object.entityName }

    /// Creates a request for an entity by its name.
    public init(entityName: String) { self.entityName = entityName }

    /// Creates a request for values of the objects that another request finds.
    public init(_ request: FetchRequest<Object>) {
        entityName = request.entityName
        predicate = request.predicate
        variables = request.variables
        sorts = request.sorts
        fetchLimit = request.fetchLimit
        fetchOffset = request.fetchOffset
        includesSubentities = request.includesSubentities
    }

    /// The same as ``sorts``, by the name that Core Data has for it.
    public var sortDescriptors: [FetchSort] {
        get { sorts }
        set { sorts = newValue }
    }

    /// Groups by the values of properties.
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties.
    public mutating func group(by keyPaths: PartialKeyPath<Object>...) throws(FetchPredicateError) {
        propertiesToGroupBy = []
        for keyPath in keyPaths {
            let path = try PropertyPath(keyPath, of: Object.self)
            propertiesToGroupBy.append(path.name)
        }
    }
}
