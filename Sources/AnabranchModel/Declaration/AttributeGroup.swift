/// Attributes that merge as one value, which is the map of all of them.
///
/// A save that changes one member sends all of them, and the merge of concurrent writes keeps one
/// write as a whole. A condition between members, such as a start before its end, that holds in
/// each write therefore holds after the merge. Each attribute is read, written, fetched and stored
/// as if it were in no group.
///
/// A later version of the model may add or remove members. A replica keeps and resends the members
/// that its own model does not have.
public struct AttributeGroup: Hashable, Sendable {
    /// The name on the wire. Never change it once a store has data: another name is another group.
    package var name: String
    /// The names of its attributes, which the same entity declares with the rule `lastWriter`.
    package var attributes: [String]

    /// Declares a group of the attributes with these names.
    public init(_ name: String, attributes: [String]) {
        self.name = name
        self.attributes = attributes
    }

    /// Declares a group of the attributes with these names.
    public init(_ name: String, _ attributes: String...) {
        self.init(name, attributes: attributes)
    }
}
