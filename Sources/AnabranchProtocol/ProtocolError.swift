public import AnabranchReplication

/// The reason why a request of the sync protocol failed. Its code says what to do.
///
/// Both ends use the same struct: the server answers with it, and the client throws it.
public struct ProtocolError: Error, Hashable, Sendable {
    /// The code that programs may act on.
    public let code: Code
    /// The message for people.
    public let message: String
    /// The objects of the error by key, such as `field`, `limit`, `replica`, `sequence` or
    /// `header`.
    public let details: [String: String]

    /// Creates an error.
    public init(_ code: Code, _ message: String, details: [String: String] = [:]) {
        self.code = code
        self.message = message
        self.details = details
    }
}

extension ProtocolError {
    /// A code that programs may act on.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as it is sent.
        public let rawValue: String
        /// Creates a code from its text, which may be unknown to this version.
        public init(rawValue: String) { self.rawValue = rawValue }

        // Errors of the request itself: correct it; the same request fails again.
        /// The body, a header or the path can't be read. Report a bug.
        public static let malformedRequest = Code(rawValue: "malformed-request")
        /// The server has nothing under this path. Correct the path.
        public static let notFound = Code(rawValue: "not-found")
        /// The path does not support the method. Use one that the server names.
        public static let methodNotAllowed = Code(rawValue: "method-not-allowed")
        /// The body is longer than the server accepts. Send less at a time.
        public static let bodyTooLarge = Code(rawValue: "body-too-large")
        /// The content type or encoding is not supported. Correct the header.
        public static let unsupportedMediaType = Code(rawValue: "unsupported-media-type")
        /// The receiver of a message does not know the version of the message, or of a change set
        /// in it. Update the older program.
        public static let unsupportedVersion = Code(rawValue: "unsupported-version")

        // Errors of rights: get another token.
        /// The token is missing or not valid. Get a token.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The token does not allow the request. Get a token for this zone with a greater role.
        public static let forbidden = Code(rawValue: "forbidden")

        // Errors of a pushed change set.
        /// The bytes of the change set are damaged. Send it again once, then report a bug.
        public static let invalidChangeSet = Code(rawValue: "invalid-change-set")
        /// An earlier change set of the replica is missing. Push from the named sequence number on.
        public static let sequenceGap = Code(rawValue: "sequence-gap")
        /// The zone holds another change set under the same dot, or another predecessor: the
        /// history of the replica forked. Nothing is lost; pull, rename the branch and push again.
        public static let forked = Code(rawValue: "forked")
        /// The zone lacks a cause of the change set. Pull first, or push the named change set
        /// first.
        public static let missingCauses = Code(rawValue: "missing-causes")
        /// The zone lacks parts of the save. Stage them from the named byte on, then push again.
        public static let missingParts = Code(rawValue: "missing-parts")
        /// The timestamp is too far in the future. Give the change set an earlier time, push again,
        /// and correct the clock of the device.
        public static let clockSkew = Code(rawValue: "clock-skew")
        /// The timestamp is not later than that of the replica's change set before it. Pull, and
        /// adopt the log's form of that change set.
        public static let timeOrder = Code(rawValue: "time-order")

        // Errors of the log.
        /// The cursor is not in this log. Say hello.
        public static let unknownCursor = Code(rawValue: "unknown-cursor")
        /// The zone has another epoch. Say hello.
        public static let unknownEpoch = Code(rawValue: "unknown-epoch")
        /// The log no longer has the entries after the cursor. Take a snapshot.
        public static let snapshotRequired = Code(rawValue: "snapshot-required")
        /// The zone has replaced the snapshot by a newer one. Begin with that one.
        public static let unknownSnapshot = Code(rawValue: "unknown-snapshot")
        /// A record is larger than an answer may be. Take a snapshot, which contains it in pieces.
        public static let repairTooLarge = Code(rawValue: "repair-too-large")
        /// The links of a record need more memory than the server has for one request. Tell the
        /// operator to give the server more memory.
        public static let recordTooLarge = Code(rawValue: "record-too-large")
        /// No save of the log has the part any more. Pull again.
        public static let unknownPart = Code(rawValue: "unknown-part")

        // Errors of limits: try again later.
        /// The token or the address has sent too many requests. Wait as long as the detail
        /// `retryAfter` and the header `Retry-After` say.
        public static let tooManyRequests = Code(rawValue: "too-many-requests")
        /// A quota of the zone is used up: the details are `quota`, `limit`, `used`, and `until`
        /// for the bytes of a day. Keep the change sets, and try again with growing pauses.
        public static let quotaExceeded = Code(rawValue: "quota-exceeded")

        // Errors of the server: try again later.
        /// The server has too much work. Try again later.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The server is shutting down. Try again later.
        public static let shuttingDown = Code(rawValue: "shutting-down")
        /// The server has no room for the data. Try again later, and tell the operator.
        public static let storageFull = Code(rawValue: "storage-full")
        /// The server failed. Try again later.
        public static let internalError = Code(rawValue: "internal-error")
    }
}

extension ProtocolError.Code {
    /// The HTTP status of the code. This is the only table from codes to statuses.
    public var httpStatus: Int {
        switch self {
        case .malformedRequest, .invalidChangeSet: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .sequenceGap, .forked, .missingCauses, .missingParts, .clockSkew, .timeOrder,
            .unknownCursor, .unknownEpoch, .snapshotRequired, .unknownSnapshot, .repairTooLarge,
            .recordTooLarge, .unknownPart:
            409
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .unsupportedVersion: 426
        case .tooManyRequests: 429
        case .overloaded, .shuttingDown: 503
        case .storageFull, .quotaExceeded: 507
        default: 500
        }
    }

    /// Indicates whether the same request may succeed later.
    public var isTransient: Bool { httpStatus >= 500 || self == .tooManyRequests }
}

extension ProtocolError {
    /// The key of the detail with the whole seconds after which the same request may succeed.
    package static let retryAfterDetail = "retryAfter"
}

extension ProtocolError: CustomStringConvertible, DescribedError {
    /// The message, followed by the code in parentheses.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension ProtocolError {
    /// Creates the error for a message that can't be decoded.
    init(_ message: String, _ error: ChangeSetDecodingError) {
        self.init(
            error.code == .unsupportedVersion ? .unsupportedVersion : .malformedRequest,
            "Can't read the \(message) because \(error.cause) at offset \(error.offset).",
            details: ["offset": "\(error.offset)"])
    }
}
