/// A response with a body of bytes or a stream of events.
public struct HTTPResponse: Sendable {
    /// The body of a response.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Body: Sendable {
        /// All bytes of the body.
        case bytes([UInt8])
        /// A stream of Server-Sent Events.
        case events(EventStream)

        /// The stream of events; `nil` for bytes.
        var stream: EventStream? {
            if case .events(let stream) = self { stream } else { nil }
        }
    }

    /// The HTTP status.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Body
    /// The fields that the log line contains besides method, path and status.
    public var log: HTTPLogFields

    /// Creates a response.
    public init(
        status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Body = .bytes([]),
        log: HTTPLogFields = HTTPLogFields()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.log = log
    }
}

/// Fields of a request's log line.
public struct HTTPLogFields: Sendable {
    /// The zone that the path of the request names, or `nil` if it names none.
    public var zone: String?
    /// The ID of the requesting replica.
    public var replica: String?
    /// The number of the token, never its secret.
    public var token: Int64?
    /// The subject that an identity provider's token names.
    public var subject: String?
    /// The error code of the response.
    public var error: String?
    /// The cause of the error that is not sent to the client.
    public var cause: String?

    /// Creates fields with a zone and a token.
    public init(zone: String? = nil, token: Int64? = nil) {
        self.zone = zone
        self.token = token
    }
}
