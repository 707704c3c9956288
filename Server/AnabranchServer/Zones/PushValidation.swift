package import AnabranchProtocol
package import AnabranchReplication

/// The operator's own rules for pushed saves, such as permissions, quotas and plausibility.
///
/// The rule is called for every save that is new to a zone, within the zone's write transaction. It
/// is called after the zone's own checks and before any write, so it must not block. A rejection is
/// permanent.
package struct PushValidation: Sendable {
    let rejection: @Sendable (ChangeSet, ZoneName) throws -> SaveRejection?

    /// Creates a rule.
    ///
    /// - Parameter rejection: Returns why the save is rejected, or `nil` to accept it. An error
    ///   that it throws ends the push with `internal-error`, and the client retries later.
    package init(_ rejection: @escaping @Sendable (ChangeSet, ZoneName) throws -> SaveRejection?) {
        self.rejection = rejection
    }
}
