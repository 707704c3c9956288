/// The holder of a right, for the log, the audit log and limits.
package enum AccessHolder: Hashable, Sendable {
    /// A token of the store, by its number.
    case token(Int64)
    /// A subject of an identity provider, as its tokens name it.
    case subject(String)
}

/// The origin of a request: the right that it used, the address it came from, and its ID.
package struct RequestOrigin: Hashable, Sendable {
    package var holder: AccessHolder
    /// The greatest role that the right gives in the zone.
    package var role = TokenRole.write
    /// The client's numeric address; empty if it is not known.
    package var address: String
    /// The ID of the request, which the answer and the log have too.
    package var request: String
}
