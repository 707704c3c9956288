internal import AnabranchProtocol

/// Why a store did not exchange everything with its zone, and what to do.
///
/// Whatever the code, nothing is lost: what was taken in or acknowledged stays, the rest waits in
/// the store's log for the next exchange.
public struct SyncError: Error, Sendable {
    public let code: Code
    public let message: String
    /// What the error is about, as far as it can be named: `server`, `zone`, `replica`,
    /// `sequence`, `limit`.
    public let details: [String: String]
    public let underlying: (any Error)?

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
    /// A refusal of the server has the protocol's own code, known to this version or not.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // What the engine was given: correct it.
        public static let invalidServer = Code(rawValue: "invalid-server")
        /// A token would travel unencrypted to another machine: use https.
        public static let insecureServer = Code(rawValue: "insecure-server")
        public static let invalidToken = Code(rawValue: "invalid-token")
        public static let invalidZone = Code(rawValue: "invalid-zone")
        /// Neither given nor kept in the store by an earlier sync.
        public static let noServer = Code(rawValue: "no-server")
        /// The store syncs with another zone: one store, one zone.
        public static let otherZone = Code(rawValue: "other-zone")

        // The way to the server: try again.
        public static let unreachable = Code(rawValue: "unreachable")
        public static let timedOut = Code(rawValue: "timed-out")
        /// The response is damaged, or not one of a sync server.
        public static let damagedResponse = Code(rawValue: "damaged-response")
        public static let responseTooLarge = Code(rawValue: "response-too-large")
        /// The server's certificate does not prove who it is.
        public static let untrustedServer = Code(rawValue: "untrusted-server")

        // What the server refuses: the codes of the protocol.
        public static let unauthorized = Code(rawValue: "unauthorized")
        public static let forbidden = Code(rawValue: "forbidden")
        public static let zoneNotFound = Code(rawValue: "not-found")
        public static let unsupportedVersion = Code(rawValue: "unsupported-version")
        public static let malformedRequest = Code(rawValue: "malformed-request")
        public static let bodyTooLarge = Code(rawValue: "body-too-large")
        public static let invalidChangeSet = Code(rawValue: "invalid-change-set")
        /// Parts of a save are not there: they are sent ahead by the exchange itself.
        public static let missingParts = Code(rawValue: "missing-parts")
        public static let sequenceGap = Code(rawValue: "sequence-gap")
        public static let missingCauses = Code(rawValue: "missing-causes")
        /// Two histories under one replica ID: the zone holds the other one.
        public static let forked = Code(rawValue: "forked")
        /// A save is stamped ahead of every clock: set the device's clock; it goes up when the
        /// server's clock has come near.
        public static let clockSkew = Code(rawValue: "clock-skew")
        /// A save is stamped no later than the one before it, which the zone has with another time:
        /// mended by the exchange itself.
        public static let timeOrder = Code(rawValue: "time-order")
        /// The zone's log is not the one that this store has followed.
        public static let unknownCursor = Code(rawValue: "unknown-cursor")
        public static let unknownEpoch = Code(rawValue: "unknown-epoch")
        public static let snapshotRequired = Code(rawValue: "snapshot-required")
        public static let unknownSnapshot = Code(rawValue: "unknown-snapshot")
        /// A record to be repaired is larger than an answer: it comes by a snapshot, which the
        /// exchange takes by itself.
        public static let repairTooLarge = Code(rawValue: "repair-too-large")
        public static let overloaded = Code(rawValue: "overloaded")

        // The store.
        /// The store refused or could not write; `underlying` says why.
        public static let storeFailed = Code(rawValue: "store-failed")
        /// Another process holds the store's file: try again.
        public static let storeBusy = Code(rawValue: "store-busy")
    }
}

extension SyncError {
    /// A refusal as the server worded it.
    init(_ refusal: ProtocolError) {
        self.init(
            Code(rawValue: refusal.code.rawValue), refusal.message, details: refusal.details,
            underlying: refusal)
    }
}

extension SyncError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
