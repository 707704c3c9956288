/// An answer: all its bytes, or a stream of events.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        case events(EventStream)
    }

    public var status: Int
    public var headers: HTTPHeaders
    public var body: Body
    /// What the line of the log says besides method, path and status.
    public var log: HTTPLogFields

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

/// What a request was about.
public struct HTTPLogFields: Sendable {
    public var zone: String?
    public var replica: String?
    /// The number of the token, never its secret.
    public var token: Int64?
    /// The code of the error that was answered.
    public var error: String?
    /// What the client is not told of the error.
    public var cause: String?

    public init(zone: String? = nil, token: Int64? = nil) {
        self.zone = zone
        self.token = token
    }
}
