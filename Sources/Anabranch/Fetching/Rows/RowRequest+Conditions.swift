public import AnabranchModel
public import Foundation

extension RowRequest {
    /// Creates a request for some columns, with a condition and an order.
    ///
    /// ```swift
    /// let request = try RowRequest<Person>(
    ///     [.property(\.name), .property(\.boss?.name, as: "boss")], where: \.age >= 18,
    ///     sortedBy: \.name)
    /// ```
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties.
    public init(
        _ columns: [ObjectColumn<Object>], where predicate: ObjectPredicate<Object>? = nil,
        sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        let predicate = try predicate.map { predicate throws(FetchPredicateError) in
            try FetchPredicate(predicate)
        }
        try self.init(FetchColumn.all(columns), predicate, sorts)
    }

    /// Creates a request for some columns, with a condition by `#Predicate` and an order.
    ///
    /// ```swift
    /// let request = try RowRequest<Person>(
    ///     [.property(\.name)], where: #Predicate { $0.age >= 18 }, sortedBy: \.name)
    /// ```
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties, and
    ///   with code `notEvaluable` for an operation that has no counterpart.
    public init(
        _ columns: [ObjectColumn<Object>], where predicate: Predicate<Object>,
        sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        try self.init(FetchColumn.all(columns), FetchPredicate(predicate), sorts)
    }

    /// Creates a request for some columns, with a condition in the predicate language and an order.
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties.
    public init(
        _ columns: [ObjectColumn<Object>], where predicate: FetchPredicate,
        sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        try self.init(FetchColumn.all(columns), predicate, sorts)
    }

    /// Creates a request for columns that are at hand, with a condition and an order.
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties.
    @_disfavoredOverload
    public init(
        _ columns: [FetchColumn], where predicate: ObjectPredicate<Object>? = nil,
        sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        let predicate = try predicate.map { predicate throws(FetchPredicateError) in
            try FetchPredicate(predicate)
        }
        try self.init(columns, predicate, sorts)
    }

    /// Creates a request for columns that are at hand, with a condition by `#Predicate` and an
    /// order.
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties, and
    ///   with code `notEvaluable` for an operation that has no counterpart.
    @_disfavoredOverload
    public init(
        _ columns: [FetchColumn], where predicate: Predicate<Object>,
        sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) { try self.init(columns, FetchPredicate(predicate), sorts) }

    /// Creates a request for columns that are at hand, with a condition in the predicate language
    /// and an order.
    ///
    /// - Throws: `FetchPredicateError` for a key path that is not a chain of stored properties.
    @_disfavoredOverload
    public init(
        _ columns: [FetchColumn], where predicate: FetchPredicate,
        sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) { try self.init(columns, predicate, sorts) }

    private init(
        _ columns: [FetchColumn], _ predicate: FetchPredicate?, _ sorts: [PartialKeyPath<Object>]
    ) throws(FetchPredicateError) {
        self.init()
        propertiesToFetch = columns
        self.predicate = predicate
        self.sorts = try FetchSort.keys(sorts)
    }
}
