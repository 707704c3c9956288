/// How the content of one side of a relationship is kept.
public enum RelationshipStorage: Hashable, Sendable {
    /// A to-one: a register with the identity of the other end, a foreign-key column.
    case reference
    /// The side that is not stored of a one-to-many or a one-to-one: its content is who refers
    /// here by the inverse's column.
    case inverseReference
    /// A to-many that is a set of links, shared by both sides.
    case links(Side)

    /// The end of a link at which a relationship's own object stands.
    public enum Side: Hashable, Sendable {
        /// The side whose (entity, property) wire name is smaller in bytes, or the only one. It
        /// names the relationship on the wire.
        case left
        case right
        /// The relationship is its own inverse: left is the smaller identity.
        case both
    }
}
