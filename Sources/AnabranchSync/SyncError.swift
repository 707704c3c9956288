internal import AnabranchProtocol
public import AnabranchReplication

/// The reason why a store could not exchange everything with its zone. Its code says what to do.
///
/// Nothing is lost with any code. Everything that was applied or acknowledged stays, and the rest
/// waits in the store's log for the next exchange.
public struct SyncError: Error, Sendable {
    /// The code that programs may act on.
    public let code: Code
    /// The message for people.
    public let message: String
    /// The objects of the error by key, such as `server`, `zone`, `replica`, `sequence` or `limit`.
    public let details: [String: String]
    /// The error that caused this one, such as a `StoreError`, or `nil`.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, details: [String: String] = [:],
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.details = details
        self.underlying = underlying
    }
}

extension SyncError {
    /// A code that programs may act on. A refusal of the server keeps its protocol code, which may
    /// be unknown to this version.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as text.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        // Errors of the configuration: correct it.
        /// The server's address does not have the form `https://host[:port][/path]`.
        public static let invalidServer = Code(rawValue: "invalid-server")
        /// The token would be sent unencrypted to another machine. Use https.
        public static let insecureServer = Code(rawValue: "insecure-server")
        /// The token is empty or has characters that no token has.
        public static let invalidToken = Code(rawValue: "invalid-token")
        /// The name of the zone is not valid.
        public static let invalidZone = Code(rawValue: "invalid-zone")
        /// The server or the zone is not given, and no earlier sync has stored it.
        public static let noServer = Code(rawValue: "no-server")
        /// The store syncs with another zone, and a store has only one zone.
        public static let otherZone = Code(rawValue: "other-zone")

        /// All records of the zone are of entities that the store's model lacks, and
        /// ``SyncOptions/refusesForeignZone`` is set. Check the name of the zone.
        public static let foreignZone = Code(rawValue: "foreign-zone")

        /// The zone's minimum version is above ``SyncOptions/appVersion``. Update the app. The
        /// detail `minimumVersion` says to which version.
        public static let updateRequired = Code(rawValue: "update-required")

        // Errors of the connection: try again.
        /// The server can't be reached.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The server did not answer in time.
        public static let timedOut = Code(rawValue: "timed-out")
        /// The response is damaged, or does not come from a sync server.
        public static let damagedResponse = Code(rawValue: "damaged-response")
        /// The response is larger than ``SyncOptions/largestResponse``.
        public static let responseTooLarge = Code(rawValue: "response-too-large")
        /// The server's certificate does not prove its identity.
        public static let untrustedServer = Code(rawValue: "untrusted-server")
        /// The client's own certificate or its key can't be used.
        public static let unusableCertificate = Code(rawValue: "unusable-certificate")

        // Refusals of the server, with the codes of the protocol.
        /// The token is missing or not valid. Get a token.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The token does not allow the exchange. Get a token for this zone with a greater role.
        public static let forbidden = Code(rawValue: "forbidden")
        /// The server has no such zone or path. Correct the address.
        public static let zoneNotFound = Code(rawValue: "not-found")
        /// The two ends have different versions of the protocol. Update the older program.
        public static let unsupportedVersion = Code(rawValue: "unsupported-version")
        /// The server can't read a request. Report a bug.
        public static let malformedRequest = Code(rawValue: "malformed-request")
        /// A request is larger than the server accepts, or than something on the way to it does,
        /// such as a proxy. The exchange sends less at a time and divides saves by itself. If that
        /// does not suffice, raise the limit.
        public static let bodyTooLarge = Code(rawValue: "body-too-large")
        /// A change set is damaged. Report a bug.
        public static let invalidChangeSet = Code(rawValue: "invalid-change-set")
        /// The zone lacks parts of a save. The exchange sends them by itself.
        public static let missingParts = Code(rawValue: "missing-parts")
        /// The zone lacks an earlier change set of the replica.
        public static let sequenceGap = Code(rawValue: "sequence-gap")
        /// The zone lacks a cause of a change set.
        public static let missingCauses = Code(rawValue: "missing-causes")
        /// The zone has another history under the same replica ID. The exchange renames the store's
        /// branch.
        public static let forked = Code(rawValue: "forked")
        /// The timestamp of a save is too far in the future. Set the device's clock. The exchange
        /// restamps the save by itself.
        public static let clockSkew = Code(rawValue: "clock-skew")
        /// The timestamp of a save is not later than that of the change set before it in the zone.
        /// The exchange corrects it by itself.
        public static let timeOrder = Code(rawValue: "time-order")
        /// The zone's log is not the one that the store has followed.
        public static let unknownCursor = Code(rawValue: "unknown-cursor")
        /// The zone has another epoch. The next exchange says hello.
        public static let unknownEpoch = Code(rawValue: "unknown-epoch")
        /// The log no longer has the entries after the cursor. The exchange takes a snapshot.
        public static let snapshotRequired = Code(rawValue: "snapshot-required")
        /// The zone has replaced a snapshot by a newer one. The exchange takes that one.
        public static let unknownSnapshot = Code(rawValue: "unknown-snapshot")
        /// A record that waits for repair is larger than an answer may be. The exchange takes a
        /// snapshot, which contains it.
        public static let repairTooLarge = Code(rawValue: "repair-too-large")
        /// The server has too little memory for the links of a record, so the states can't be
        /// compared. Tell the server's operator.
        public static let recordTooLarge = Code(rawValue: "record-too-large")
        /// The zone's log can't be read or contradicts the store, and a snapshot did not help. Ask
        /// the server's operator to verify the zone. If it is intact, export the store's saves as a
        /// bundle, import it into a new store, and report a bug.
        public static let unusableLog = Code(rawValue: "unusable-log")
        /// The token or the address has sent too many requests. The exchange waits as long as the
        /// server says and continues by itself.
        public static let tooManyRequests = Code(rawValue: "too-many-requests")
        /// A quota of the zone is used up: the details are `quota`, `limit`, `used`, and `until`
        /// for the bytes of a day. The saves stay in the store, and every exchange offers them
        /// again. Delete records, or ask the server's operator for more.
        public static let quotaExceeded = Code(rawValue: "quota-exceeded")
        /// The server has no room for more: its disk is full, or a limit of the zone is reached.
        /// The saves stay in the store, and every exchange offers them again. Inform the server's
        /// operator.
        public static let storageFull = Code(rawValue: "storage-full")
        /// The server has too much work. Try again later.
        public static let overloaded = Code(rawValue: "overloaded")

        // Errors of the store.
        /// The store failed or refused the work; ``SyncError/underlying`` says why.
        public static let storeFailed = Code(rawValue: "store-failed")
        /// Another process holds the store's file. Try again.
        public static let storeBusy = Code(rawValue: "store-busy")
    }
}

extension SyncError {
    /// Creates the error for a refusal, with the server's message.
    ///
    /// - Parameter delay: The delay that the server asked for.
    init(_ refusal: ProtocolError, retryAfter delay: Duration? = nil) {
        var details = refusal.details
        if let delay { details[ProtocolError.retryAfterDetail] = "\(delay.components.seconds)" }
        self.init(
            Code(rawValue: refusal.code.rawValue), refusal.message, details: details,
            underlying: refusal)
    }
}

extension SyncError {
    /// The delay that the server asked for, or `nil` if it asked for none.
    var serverDelay: Duration? {
        details[ProtocolError.retryAfterDetail].flatMap { Int($0) }.map { .seconds(max($0, 0)) }
    }
}

extension SyncError: CustomStringConvertible, DescribedError {
    /// The message, followed by the code in parentheses.
    public var description: String { "\(message) (\(code.rawValue))" }
}
