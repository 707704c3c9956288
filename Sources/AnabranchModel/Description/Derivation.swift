/// What the value of a derived attribute is computed from.
package enum Derivation: Hashable, Sendable {
    /// The time of the last save that wrote the object.
    case now
    /// The value of an attribute at the end of to-one relationships.
    case value(DerivedText?, of: AttributeDescription, through: [RelationshipDescription])
    case count(RelationshipDescription)
    /// Of an attribute of the objects at the other end.
    case sum(RelationshipDescription, AttributeDescription)
}

/// What becomes of a text.
package enum DerivedText: String, Hashable, Sendable, CaseIterable {
    /// Without case and diacritical marks, as `[cd]` compares.
    case canonical
    case lowercase
    case uppercase
}

extension Derivation {
    /// The relationships that lead from the object to what is looked at.
    package var steps: [RelationshipDescription] {
        switch self {
        case .now: []
        case .value(_, _, let steps): steps
        case .count(let relationship), .sum(let relationship, _): [relationship]
        }
    }

    /// What is looked at behind all steps; `nil` where only counts who is there.
    package var source: AttributeDescription? {
        switch self {
        case .now, .count: nil
        case .value(_, let source, _), .sum(_, let source): source
        }
    }
}
