/// The reason why a comparison or a repair could not be completed.
public struct VerificationObstacle: RawRepresentable, Hashable, Sendable {
    /// The reason as text.
    public let rawValue: String
    /// Creates a reason from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// This store or other replicas saved all the time. Verify again later.
    public static let busy = VerificationObstacle(rawValue: "busy")
    /// The zone does not accept the store's saves; ``SyncOutcome/blockedBy`` says why.
    public static let blocked = VerificationObstacle(rawValue: "blocked")
    /// The zone's checksum does not match its records. The operator of the server runs `anabranchd
    /// zone verify`.
    public static let zoneInconsistent = VerificationObstacle(rawValue: "zone-inconsistent")
    /// Records differ again after their repair. Report a bug, with the store's file.
    public static let notRepaired = VerificationObstacle(rawValue: "not-repaired")
    /// The zone's answers did not end. Report it to the server's operator.
    public static let endless = VerificationObstacle(rawValue: "endless")
}
