package import AnabranchReplication

/// An object on which predicates are evaluated in memory.
package protocol PredicateSubject {
    var predicateEntity: EntityDescription { get }

    /// Returns the content of the property with a name.
    ///
    /// A missing value is `null`. A to-one reference to a deleted or missing object is a `nil`
    /// subject.
    ///
    /// - Throws: An error of the subject's own if the content can't be read. It ends the evaluation
    ///   of the predicate.
    func predicateValue(forKey key: String) throws -> PredicateOperand

    /// The content of a property, for subjects that can find it faster than by name.
    func predicateValue(of property: PropertyDescription) throws -> PredicateOperand

    /// The values that an attribute under the merge rule `keepBoth` holds, in any order, with the
    /// one that it shows. Equal values may be there several times.
    func predicateValues(of attribute: AttributeDescription) throws -> [PropertyValue]

    /// Returns true if a search for words finds the object by its present texts.
    ///
    /// - Throws: ``FetchPredicateError`` with code `notSearchable` unless the subject implements
    ///   this: only an object of a store has the words of its texts.
    func predicateFinds(_ search: ResolvedSearch) throws -> Bool

    /// The identity of the object: two subjects with equal references are the same object.
    var predicateReference: PredicateObjectReference? { get }
}

extension PredicateSubject {
    /// Calls `predicateValue(forKey:)` with the property's name.
    package func predicateValue(of property: PropertyDescription) throws -> PredicateOperand {
        try predicateValue(forKey: property.name)
    }

    /// Returns the value that the attribute shows. A subject that is not in a store holds no other.
    package func predicateValues(of attribute: AttributeDescription) throws -> [PropertyValue] {
        guard case .value(let value) = try predicateValue(of: .attribute(attribute)) else {
            return [.null]
        }
        return [value]
    }

    package func predicateFinds(_ search: ResolvedSearch) throws -> Bool {
        throw FetchPredicateError(
            .notSearchable, entity: predicateEntity.name, key: search.attributes.first?.name,
            "Can't search this object for words because it is not one of a store.")
    }
}

/// An object as if an attribute had one of the values that it holds.
struct HeldValueSubject: PredicateSubject {
    let predicateEntity: EntityDescription
    let value: PropertyValue

    var predicateReference: PredicateObjectReference? { nil }

    func predicateValue(forKey key: String) -> PredicateOperand { .value(value) }
}

/// The content of a property of a subject.
package enum PredicateOperand {
    /// The value of an attribute.
    case value(PropertyValue)
    /// The object of a to-one relationship.
    case subject((any PredicateSubject)?)
    /// The objects of a to-many relationship.
    case subjects([any PredicateSubject])
}
