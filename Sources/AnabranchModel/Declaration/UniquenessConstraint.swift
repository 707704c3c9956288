/// A uniqueness constraint: two objects of the entity must differ in one of the attributes.
///
/// A missing value equals no other value.
public struct UniquenessConstraint: Hashable, Sendable {
    /// Names of attributes of the entity, inherited ones included.
    package var attributes: [String]

    /// Declares a constraint over the attributes with these names.
    public init(attributes: [String]) { self.attributes = attributes }

    /// Declares a constraint over the attributes with these names.
    public init(_ attributes: String...) { self.init(attributes: attributes) }
}
