public import AnabranchReplication

/// A constant of a predicate.
///
/// A Boolean is an integer, as in Core Data: true is 1 and false is 0.
public enum PredicateConstant: Hashable, Sendable {
    /// A single value.
    case value(Value)
    /// The elements of a collection.
    case collection([PredicateConstant])
    /// An object.
    case object(PredicateObjectReference)
}

/// An object that a predicate compares with.
public struct PredicateObjectReference: Sendable {
    /// The object's local ID in its store.
    public let record: Int64
    /// The identity of the object's store; an object of another store equals no row.
    public let store: any Hashable & Sendable

    /// Creates a reference.
    public init(record: Int64, store: any Hashable & Sendable) {
        self.record = record
        self.store = store
    }
}

extension PredicateObjectReference: Hashable {
    /// Returns true if both refer to the same object of the same store.
    public static func == (
        left: PredicateObjectReference, right: PredicateObjectReference
    ) -> Bool {
        left.record == right.record && AnyHashable(left.store) == AnyHashable(right.store)
    }

    /// Hashes the local ID.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }
}
