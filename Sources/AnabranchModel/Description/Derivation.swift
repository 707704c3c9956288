/// The source of a derived attribute's value.
package enum Derivation: Hashable, Sendable {
    /// The time of the last save that wrote the object.
    case now
    /// The value of an attribute at the end of to-one relationships.
    case value(DerivedText?, of: AttributeDescription, through: [RelationshipDescription])
    /// The number of objects at the other end.
    case count(RelationshipDescription)
    /// The sum of an attribute of the objects at the other end.
    case sum(RelationshipDescription, AttributeDescription)
}

/// A conversion of a text by a derivation.
package enum DerivedText: String, Hashable, Sendable, CaseIterable {
    /// The text without case and diacritical marks, as `[cd]` compares.
    case canonical
    case lowercase
    case uppercase
}

extension Derivation {
    /// The relationships from the object to the source of the value.
    package var steps: [RelationshipDescription] {
        switch self {
        case .now: []
        case .value(_, _, let steps): steps
        case .count(let relationship), .sum(let relationship, _): [relationship]
        }
    }

    /// The attribute that is read at the end of all steps; `nil` for a count and for `now`.
    package var source: AttributeDescription? {
        switch self {
        case .now, .count: nil
        case .value(_, let source, _), .sum(_, let source): source
        }
    }
}
