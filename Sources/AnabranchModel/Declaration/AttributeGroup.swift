/// Attributes that change together: they travel and merge as one value, the map of all of them.
///
/// A save that changes one member sends all of them, and of concurrent writes one is kept whole:
/// a rule between members that holds in each (a start before its end) holds in what merging makes
/// of them. Each attribute is read, written, fetched and stored as if it were in no group.
///
/// A later version of the model may add members and take some away: what a replica does not know
/// of a group, it carries along.
public struct AttributeGroup: Hashable, Sendable {
    /// The name on the wire. Never change it once a store has data: what has another name is
    /// another group.
    public var name: String
    /// Names of attributes that the same entity declares, under the merge rule `lastWriter`.
    public var attributes: [String]

    public init(_ name: String, attributes: [String]) {
        self.name = name
        self.attributes = attributes
    }

    public init(_ name: String, _ attributes: String...) {
        self.init(name, attributes: attributes)
    }
}
