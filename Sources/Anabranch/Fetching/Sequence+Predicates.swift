public import AnabranchModel
import AnabranchReplication
public import Foundation

/// Objects at hand are asked in the same language as a store, by their present values.
extension Sequence where Element: ManagedObject {
    /// Returns the objects for which a predicate holds, in the order of the sequence.
    ///
    /// ```swift
    /// let grown = try company.staff.filtered(using: FetchPredicate("age >= 18"))
    /// ```
    ///
    /// - Parameter variables: The values of the predicate's `$variables`, by name without the `$`.
    /// - Throws: `FetchPredicateError` for a predicate that does not fit the objects' entity;
    ///   ``PropertyError`` or `StoreError` for a value that can't be read.
    public func filtered(
        using predicate: FetchPredicate, variables: [String: (any PredicateArgument)?] = [:]
    ) throws -> [Element] {
        var resolved: [EntityDescription: ResolvedPredicate] = [:]
        return try filter { object in
            let own: ResolvedPredicate
            if let known = resolved[object.entity] {
                own = known
            } else {
                own = try predicate.resolved(for: object, variables: variables)
                resolved[object.entity] = own
            }
            return try own.evaluate(with: object)
        }
    }

    /// Returns the objects for which a predicate with key paths holds, in the order of the
    /// sequence.
    ///
    /// ```swift
    /// let grown = try company.staff.filtered(using: \.age >= 18)
    /// ```
    ///
    /// - Throws: The errors of ``filtered(using:variables:)``.
    public func filtered(using predicate: ObjectPredicate<Element>) throws -> [Element] {
        try filtered(using: FetchPredicate(predicate))
    }

    /// Returns the objects for which a predicate by `#Predicate` holds, in the order of the
    /// sequence.
    ///
    /// ```swift
    /// let grown = try company.staff.filtered(using: #Predicate { $0.age >= 18 })
    /// ```
    ///
    /// - Throws: The errors of ``filtered(using:variables:)``, and `FetchPredicateError` with code
    ///   `notEvaluable` for an operation that has no counterpart in the predicate language.
    public func filtered(using predicate: Predicate<Element>) throws -> [Element] {
        try filtered(using: FetchPredicate(predicate))
    }

    /// Returns the objects in the order of some key paths, such as `\.name, .reverse(\.age)`.
    ///
    /// - Throws: The errors of ``sorted(using:)-([FetchSort])``.
    public func sorted(
        using first: PartialKeyPath<Element>, _ rest: PartialKeyPath<Element>...
    ) throws -> [Element] { try sorted(using: FetchSort.keys([first] + rest)) }

    /// Returns the objects in the order of some sort keys; equal objects stay in their order.
    ///
    /// The keys of every object are read once.
    ///
    /// - Throws: The errors of ``filtered(using:variables:)``.
    public func sorted(using sorts: [FetchSort]) throws -> [Element] {
        var resolved: [EntityDescription: [ResolvedSort]] = [:]
        let keyed = try enumerated().map { place, object in
            let own =
                try resolved[object.entity] ?? sorts.map { try $0.resolved(for: object.entity) }
            resolved[object.entity] = own
            return Keyed(object: object, place: place, keys: try own.map { try $0.key(of: object) })
        }
        guard let order = resolved.values.first else { return [] }
        return keyed.sorted { $0.precedes($1, by: order) }.map(\.object)
    }
}

extension FetchPredicate {
    /// Returns true if the predicate holds for an object, by its present values.
    ///
    /// Each call checks the predicate against the object's entity; `filtered(using:)` does so once
    /// for many objects.
    ///
    /// - Parameter variables: The values of `$variables`, by name without the `$`.
    /// - Throws: `FetchPredicateError` for a predicate that does not fit the object's entity;
    ///   ``PropertyError`` or `StoreError` for a value that can't be read.
    public func evaluate(
        with object: ManagedObject, variables: [String: (any PredicateArgument)?] = [:]
    ) throws -> Bool {
        try resolved(for: object, variables: variables).evaluate(with: object)
    }

    /// Checks the predicate against an object's entity. The object's context runs the requests in
    /// it.
    fileprivate func resolved(
        for object: ManagedObject, variables: [String: (any PredicateArgument)?]
    ) throws -> ResolvedPredicate {
        let whole = try object.managedObjectContext?.withResultsOfFetches(in: self) ?? self
        return try whole.resolved(for: object.entity, variables: variables)
    }
}

/// An object with its sort keys and its place before the sort.
private struct Keyed<Object: ManagedObject> {
    let object: Object
    let place: Int
    let keys: [PropertyValue]

    func precedes(_ other: Keyed, by sorts: [ResolvedSort]) -> Bool {
        for (index, sort) in sorts.enumerated() {
            switch sort.order(ofKeys: keys[index], other.keys[index]) {
            case .less: return true
            case .greater: return false
            case .equal: continue
            }
        }
        return place < other.place
    }
}
