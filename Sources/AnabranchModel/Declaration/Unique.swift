/// A uniqueness constraint: no two objects of the entity have equal values in all of the
/// attributes. An absent value equals none.
public struct Unique: Hashable, Sendable {
    /// Names of attributes of the entity, inherited ones included.
    public var attributes: [String]

    public init(attributes: [String]) { self.attributes = attributes }

    public init(_ attributes: String...) { self.init(attributes: attributes) }
}
