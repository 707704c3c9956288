internal import AnabranchReplication

/// Why a request of the sync protocol was refused, and what to do.
///
/// The same struct on both ends: the server answers with it, the client throws it.
public struct ProtocolError: Error, Hashable, Sendable {
    public let code: Code
    public let message: String
    /// What the error is about, as far as it can be named: `field`, `limit`, `replica`,
    /// `sequence`, `header`.
    public let details: [String: String]

    public init(_ code: Code, _ message: String, details: [String: String] = [:]) {
        self.code = code
        self.message = message
        self.details = details
    }
}

extension ProtocolError {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // The request itself: correct it, repeating does not help.
        public static let malformedRequest = Code(rawValue: "malformed-request")
        public static let notFound = Code(rawValue: "not-found")
        public static let methodNotAllowed = Code(rawValue: "method-not-allowed")
        public static let bodyTooLarge = Code(rawValue: "body-too-large")
        public static let unsupportedMediaType = Code(rawValue: "unsupported-media-type")
        public static let unsupportedVersion = Code(rawValue: "unsupported-version")

        // Rights: get a token.
        public static let unauthorized = Code(rawValue: "unauthorized")
        public static let forbidden = Code(rawValue: "forbidden")

        // A pushed change set.
        /// Its bytes are damaged: send them again.
        public static let invalidChangeSet = Code(rawValue: "invalid-change-set")
        /// An earlier set of its replica is missing: push from the sequence that is named.
        public static let sequenceGap = Code(rawValue: "sequence-gap")
        /// Another set is held under its dot, or another under its predecessor's: the replica's
        /// history forked. Nothing is lost; the set stays with its author.
        public static let forked = Code(rawValue: "forked")
        /// What its author held is not here: pull first, or push that first.
        public static let missingCauses = Code(rawValue: "missing-causes")
        /// Parts that it lists are not here whole: stage them, from the place that is named.
        public static let missingParts = Code(rawValue: "missing-parts")
        /// Its timestamp is ahead of every clock: set the clock of the device.
        public static let clockSkew = Code(rawValue: "clock-skew")
        /// Its timestamp is not later than that of the set before it: pull, and take over the form
        /// in which the log has that one.
        public static let timeOrder = Code(rawValue: "time-order")

        // The log.
        /// The cursor is not of this log: say hello.
        public static let unknownCursor = Code(rawValue: "unknown-cursor")
        /// The epoch is another: say hello.
        public static let unknownEpoch = Code(rawValue: "unknown-epoch")
        /// The log no longer has what lies behind the cursor: take a snapshot.
        public static let snapshotRequired = Code(rawValue: "snapshot-required")
        /// The zone has a newer snapshot and no longer this one: begin with that.
        public static let unknownSnapshot = Code(rawValue: "unknown-snapshot")
        /// A record is larger than an answer may be: take a snapshot, which has it in pieces.
        public static let repairTooLarge = Code(rawValue: "repair-too-large")
        /// No save of the log has the part any more: pull again.
        public static let unknownPart = Code(rawValue: "unknown-part")

        // The server: try again later.
        public static let overloaded = Code(rawValue: "overloaded")
        public static let shuttingDown = Code(rawValue: "shutting-down")
        public static let storageFull = Code(rawValue: "storage-full")
        public static let internalError = Code(rawValue: "internal-error")
    }
}

extension ProtocolError.Code {
    /// The one table from codes to HTTP status.
    public var httpStatus: Int {
        switch self {
        case .malformedRequest, .invalidChangeSet: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .sequenceGap, .forked, .missingCauses, .missingParts, .clockSkew, .timeOrder,
            .unknownCursor, .unknownEpoch, .snapshotRequired, .unknownSnapshot, .repairTooLarge,
            .unknownPart:
            409
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .unsupportedVersion: 426
        case .overloaded, .shuttingDown: 503
        case .storageFull: 507
        default: 500
        }
    }

    /// Whether the same request may go through later.
    public var isTransient: Bool { httpStatus >= 500 }
}

extension ProtocolError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension ProtocolError {
    /// What a decoder found wrong with a message.
    init(_ message: String, _ error: ChangeSetDecodingError) {
        self.init(
            error.code == .unsupportedVersion ? .unsupportedVersion : .malformedRequest,
            "Can't read the \(message) because \(error.cause) at offset \(error.offset).",
            details: ["offset": "\(error.offset)"])
    }
}
