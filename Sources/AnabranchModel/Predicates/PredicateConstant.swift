public import AnabranchReplication

/// A constant of a predicate.
///
/// Numbers are one kind: `TRUE` and a `Bool` argument are the integer 1, as in Core Data.
public enum PredicateConstant: Hashable, Sendable {
    case value(Value)
    case collection([PredicateConstant])
    case object(PredicateObjectReference)
}

/// An object that a predicate compares with.
public struct PredicateObjectReference: Sendable {
    /// The object's local ID in its store.
    public let record: Int64
    /// Tells the store that the object is of: an object of another store equals no row.
    public let store: any Hashable & Sendable

    public init(record: Int64, store: any Hashable & Sendable) {
        self.record = record
        self.store = store
    }
}

extension PredicateObjectReference: Hashable {
    public static func == (
        left: PredicateObjectReference, right: PredicateObjectReference
    ) -> Bool {
        left.record == right.record && AnyHashable(left.store) == AnyHashable(right.store)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(record) }
}
