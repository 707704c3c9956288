public import AnabranchModel

extension FetchRequest {
    /// Creates a request with a condition and an order.
    ///
    /// ```swift
    /// let people = try context.fetch(
    ///     FetchRequest<Person>(where: \.age >= 18, sortedBy: \.name, .reverse(\.age)))
    /// ```
    ///
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a key path that is not a chain
    ///   of stored properties, and with code `invalidArgument` for a value that no attribute can
    ///   hold.
    public init(
        where predicate: ObjectPredicate<Object>, sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        self.init()
        self.predicate = try FetchPredicate(predicate)
        self.sorts = try FetchSort.keys(sorts)
    }

    /// Creates a request with a condition in the predicate language and an order.
    ///
    /// ```swift
    /// let people = try context.fetch(
    ///     FetchRequest<Person>(where: FetchPredicate("age >= %d", 18), sortedBy: \.name))
    /// ```
    ///
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a sort by a key path that is
    ///   not a chain of stored properties.
    public init(
        where predicate: FetchPredicate, sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        self.init()
        self.predicate = predicate
        self.sorts = try FetchSort.keys(sorts)
    }

    /// Creates a request for all objects in an order.
    ///
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a key path that is not a chain
    ///   of stored properties.
    public init(
        sortedBy first: PartialKeyPath<Object>, _ rest: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        self.init()
        sorts = try FetchSort.keys([first] + rest)
    }

    /// The same as ``sorts``, by the name that Core Data has for it.
    public var sortDescriptors: [FetchSort] {
        get { sorts }
        set { sorts = newValue }
    }
}
