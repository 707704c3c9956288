public import AnabranchProtocol
public import AnabranchReplication

/// Rules of the operator's own: who may do what, how much, and what is sensible.
///
/// Asked of every save that is new to a zone, within its write transaction, after all that the
/// zone checks itself and before anything is written; so it must not wait for anybody. What it
/// rejects is rejected for good.
public struct PushValidation: Sendable {
    let rejection: @Sendable (ChangeSet, ZoneName) throws -> Rejection?

    /// - Parameter rejection: Says why the set may not be taken in; `nil` lets it in. What it
    ///   throws ends the push with `internal-error`, and the client tries again later.
    public init(_ rejection: @escaping @Sendable (ChangeSet, ZoneName) throws -> Rejection?) {
        self.rejection = rejection
    }
}
