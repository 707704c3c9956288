/// Carries requests to a handler and its answers back.
///
/// The one place that knows a socket. What stands behind it can be exchanged: routes, tokens and
/// zones see only this.
public protocol HTTPServer: AnyObject, Sendable {
    /// - Returns: The port that it listens on.
    /// - Throws: ``HTTPServerError`` with what to change.
    func start(_ handler: any HTTPHandler) throws -> Int

    /// Takes no new connection, lets what was begun be answered, ends event streams and closes.
    func stop()
}

/// What answers requests. Called from several threads.
public protocol HTTPHandler: Sendable {
    /// Decides by the headers alone whether the body is worth reading. Must not block for long.
    func exchange(for head: HTTPRequestHead) -> HTTPExchange

    /// The answer to a request that the server itself refuses.
    func answer(to fault: HTTPFault) -> HTTPResponse

    /// Takes note that an answer has been sent, or that the client went before its end.
    func finished(_ record: HTTPRecord)
}

public enum HTTPExchange: Sendable {
    /// Without reading the body.
    case answer(HTTPResponse)
    /// - Parameters:
    ///   - limit: Bytes of the body, before and after decompression.
    ///   - respond: Called on a thread that may wait.
    case read(limit: Int, respond: @Sendable ([UInt8]) -> HTTPResponse)
}

/// What is wrong with a request before any handler looks at it.
public enum HTTPFault: Sendable, Hashable {
    /// - Parameter cause: "the header Host is there twice"
    case malformed(cause: String, header: String? = nil)
    case bodyTooLarge(limit: Int)
    case unsupportedEncoding(String)
    case overloaded
    case shuttingDown
}

/// One request and its answer, for the log.
public struct HTTPRecord: Sendable {
    public var method: String
    public var path: String
    public var status: Int
    public var duration: Duration
    public var bytesReceived: Int
    public var bytesSent: Int
    /// Whether the client went before the answer was complete.
    public var isCutOff: Bool
    public var log: HTTPLogFields
}

/// Why a server does not start.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    public let message: String
    public init(_ message: String) { self.message = message }
    public var description: String { message }
}

/// What a server allows.
public struct HTTPServerOptions: Sendable {
    /// A numeric IPv4 or IPv6 address.
    public var address = "127.0.0.1"
    /// 0 takes a free one.
    public var port = 0
    public var connections = 10_000
    public var connectionsPerAddress = 5_000
    /// After which a connection on which nothing moves is closed.
    public var idleSeconds = 15
    /// From the connection, or the answer before, to the end of a request's headers.
    public var headerSeconds = 30
    /// From the end of the headers to the end of the body.
    public var bodySeconds = 300
    /// Bytes of the request line and headers together.
    public var headerBytes = 16_384
    /// Bytes of all request bodies that are being received or worked on.
    public var bufferedBytes = 512 << 20
    /// Threads that work on requests, and requests that wait for one.
    public var workers = 16
    public var waitingRequests = 1_000
    /// PEM of a certificate chain and of its key.
    public var tls: (certificate: String, key: String)?

    public init() {}
}
