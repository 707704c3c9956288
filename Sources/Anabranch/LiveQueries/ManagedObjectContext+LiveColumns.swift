public import AnabranchReplication

extension ManagedObjectContext {
    /// Returns a value that is computed from a property of all objects that a request finds, from
    /// now on, such as a sum.
    ///
    /// ```swift
    /// let request = try FetchRequest<Book>(where: \.isSold == false)
    /// for try await total in context.values(of: .sum(\.price), over: request) { … }
    /// ```
    ///
    /// The iteration throws `FetchPredicateError` for a key path that is not a chain of stored
    /// properties. With a key path as a text, use ``values(of:over:)-(FetchColumn,_)``.
    ///
    /// - Parameters:
    ///   - column: A single function of a group.
    ///   - request: The objects. A limit or an offset is refused, and sorts are ignored.
    @_disfavoredOverload
    public func values<Object>(
        of column: ObjectColumn<Object>, over request: FetchRequest<Object>
    ) -> LiveValues<PropertyValue> {
        LiveValues { [self] signal in
            checkQueue()
            return try LiveAggregate(FetchColumn(column), over: request, in: self, signal)
        }
    }
}
