/// The form in which one side of a relationship is stored.
package enum RelationshipStorage: Hashable, Sendable {
    /// A to-one: a register with the identity of the other end, in a foreign-key column.
    case reference
    /// The unstored side of a one-to-many or a one-to-one.
    ///
    /// Its content is the objects that refer to this object by the inverse.
    case inverseReference
    /// A to-many that is a set of links, shared by both sides.
    case links(Side)
    /// A transient relationship: links in the memory of one context, shared by both sides.
    case memory(Side)

    /// The end of a link at which the relationship's own object is.
    package enum Side: Hashable, Sendable {
        /// The side with the smaller wire name of entity and property in bytes, or the only side.
        ///
        /// It names the relationship on the wire.
        case left
        /// The side with the greater wire name of entity and property in bytes.
        case right
        /// Both ends: the relationship is its own inverse. The left object is the smaller identity.
        case both
    }

    /// The side of links, stored or in memory; `nil` for a reference.
    package var side: Side? {
        switch self {
        case .links(let side), .memory(let side): side
        case .reference, .inverseReference: nil
        }
    }
}
