public import AnabranchReplication

/// An object that predicates are evaluated on in memory.
public protocol PredicateSubject {
    /// What the object is an instance of.
    var predicateEntity: EntityDescription { get }

    /// By the key's name; a missing value is `null`, and a to-one whose object does not exist is
    /// no subject.
    func predicateValue(forKey key: String) throws -> PredicateOperand

    /// The same by the property, for subjects that have quicker ways than names.
    func predicateValue(of property: PropertyDescription) throws -> PredicateOperand

    /// Tells objects apart: two subjects are one object where these are equal.
    var predicateReference: PredicateObjectReference? { get }
}

extension PredicateSubject {
    public func predicateValue(of property: PropertyDescription) throws -> PredicateOperand {
        try predicateValue(forKey: property.name)
    }
}

/// What a key of a subject holds.
public enum PredicateOperand {
    case value(Value)
    /// A to-one relationship.
    case subject((any PredicateSubject)?)
    /// A to-many relationship.
    case subjects([any PredicateSubject])
}
