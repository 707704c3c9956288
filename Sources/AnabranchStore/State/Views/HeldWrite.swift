package import AnabranchModel
public import AnabranchReplication

/// A write of a property that a record holds, whether its object shows it or not.
public struct HeldWrite: Hashable, Sendable {
    /// The record that holds the value: the object's own record, or a merged duplicate.
    public let record: RecordID
    /// The value in its portable form; a reference names a record.
    public let value: PropertyValue
    /// The author and the time of the write.
    public let write: ConflictEntry.Write
}

/// A rule by which an object does not show a value that is held for it.
///
/// Each rule decides between values that were saved concurrently, so no author has chosen to
/// replace the hidden one.
///
/// It is closed: only a new major version adds a case.
public enum HidingRule: String, Hashable, Sendable, CaseIterable {
    /// The object shows several records with one unique key, and the value of another of these
    /// records.
    case uniqueKey
    /// Another object holds the target of a one-to-one relationship by a later write.
    case oneToOne
    /// The reference was the last one among those that form a cycle of an acyclic relationship.
    case acyclic
    /// The relationship is its own inverse, and the target refers to another object or to none.
    case ownInverse
    /// The property keeps both of two concurrent values, and shows the later one.
    case keepBoth
}

/// A write that is held for an object and that a view rule hides.
package struct HiddenWriteRow: Sendable {
    /// The visible record, and its entity.
    package let id: LocalID
    package let entity: EntityDescription
    /// The name of the attribute, of the attribute group or of the relationship.
    package let key: String
    package let held: HeldWrite
    package let rule: HidingRule
    /// The value that shows instead; null for a reference that reads nil.
    package let shownValue: PropertyValue
}

extension HiddenReferences.Rule {
    /// The rule as an app sees it; `nil` if the reference shows the surviving record.
    var asHidingRule: HidingRule? {
        switch self {
        case .exclusive: .oneToOne
        case .acyclic: .acyclic
        case .redirected: nil
        case .mutual: .ownInverse
        }
    }
}
