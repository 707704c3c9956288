package import AnabranchReplication

/// A constant of a predicate.
///
/// A Boolean is an integer, as in Core Data: true is 1 and false is 0.
package enum PredicateConstant: Hashable, Sendable {
    /// A single value.
    case value(PropertyValue)
    /// The elements of a collection.
    case collection([PredicateConstant])
    /// An object.
    case object(PredicateObjectReference)
    /// A fetch request, the first argument of FETCH.
    case fetch(PredicateFetch)
}

/// A fetch request inside a predicate.
///
/// The context that evaluates the predicate runs it first, in place of FETCH.
package struct PredicateFetch: Hashable, Sendable {
    package let entityName: String
    /// The predicate, in which variables have values.
    package let predicate: FetchPredicate?
    /// The sort keys, which have an effect together with a limit.
    package let sorts: [FetchSort]
    /// True if objects of sub-entities are found too.
    package let includesSubentities: Bool
    /// The greatest number of objects; 0 for all.
    package let limit: Int
    /// The number of objects to skip.
    package let offset: Int

    package init(
        entityName: String, predicate: FetchPredicate? = nil, sorts: [FetchSort] = [],
        includesSubentities: Bool = true, limit: Int = 0, offset: Int = 0
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.sorts = sorts
        self.includesSubentities = includesSubentities
        self.limit = limit
        self.offset = offset
    }
}

/// An object that a predicate compares with.
package struct PredicateObjectReference: Sendable {
    /// The object's local ID in its store.
    package let record: Int64
    /// The identity of the object's store; an object of another store equals no row.
    package let store: any Hashable & Sendable

    package init(record: Int64, store: any Hashable & Sendable) {
        self.record = record
        self.store = store
    }
}

extension PredicateObjectReference: Hashable {
    /// Returns true if both refer to the same object of the same store.
    package static func == (
        left: PredicateObjectReference, right: PredicateObjectReference
    ) -> Bool {
        left.record == right.record && AnyHashable(left.store) == AnyHashable(right.store)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(record) }
}
