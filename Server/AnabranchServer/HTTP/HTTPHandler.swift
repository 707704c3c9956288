/// Answers requests. Its methods are called from several threads.
public protocol HTTPHandler: Sendable {
    /// Decides by the headers alone if the body is read. It must not block, because it is called
    /// on a thread of the sockets.
    func exchange(for head: HTTPRequestHead) -> HTTPExchange

    /// The response to a request that the server itself refuses.
    func answer(to fault: HTTPFault) -> HTTPResponse

    /// Records that a response was sent, or that the client closed the connection early.
    func finished(_ record: HTTPRecord)
}

/// A decision about a request after its headers.
///
/// It is closed: only a new major version adds a case.
public enum HTTPExchange: Sendable {
    /// Respond without reading the body.
    case answer(HTTPResponse)
    /// Read the body, then respond.
    case work(HTTPWork)

    /// Reads the body, then responds to any client.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes of the body, before and after decompression.
    ///   - respond: Called on a thread that may block.
    static func read(
        limit: Int, respond: @escaping @Sendable ([UInt8]) -> HTTPResponse
    ) -> HTTPExchange {
        .work(
            HTTPWork(limit: limit, zone: "", client: 0) { .admitted { body, _ in respond(body) } })
    }
}

/// A request with a body that is read.
public struct HTTPWork: Sendable {
    /// The greatest number of bytes of the body, before and after decompression.
    let limit: Int
    /// The zone that shares its threads with others.
    let zone: String
    /// A number that the requests of one client share.
    let client: Int
    /// Checks the client's right on a thread that may block. It is called when the first
    /// ``HTTPServerOptions/unadmittedBytes`` of a body have arrived, or the whole body.
    let admit: @Sendable () -> HTTPAdmission
}

/// A decision about a request after its right is known.
///
/// It is closed: only a new major version adds a case.
public enum HTTPAdmission: Sendable {
    /// The rest of the body is discarded, then this response is sent.
    case refused(HTTPResponse)
    /// The body is read and passed to a function that may block, with the memory that the request
    /// uses so far.
    case admitted(@Sendable (_ body: [UInt8], _ memory: RequestMemory) -> HTTPResponse)
}

/// An error of a request or of the server, found before a handler sees the request.
///
/// It is closed: only a new major version adds a case.
public enum HTTPFault: Sendable, Hashable {
    /// The request violates HTTP.
    ///
    /// - Parameter cause: The end of a sentence, such as "the header Host is there twice".
    case malformed(cause: String, header: String? = nil)
    /// The body has more bytes than the limit.
    case bodyTooLarge(limit: Int)
    /// The body has an encoding that the server cannot decode.
    case unsupportedEncoding(String)
    /// The client's certificate is missing or not trusted.
    ///
    /// - Parameter cause: The end of a sentence, such as "it has none".
    case untrustedClient(cause: String)
    /// The server has too many requests or too little memory.
    case overloaded
    /// The client's address has too many requests at the same time.
    case crowdedAddress
    /// The server is shutting down.
    case shuttingDown
}

/// One request and its response, for the log.
public struct HTTPRecord: Sendable {
    /// The ID of the request, which the answer's header `X-Request-ID` has too.
    public var id: String
    /// The method of the request.
    public var method: String
    /// The path of the request.
    public var path: String
    /// The client's numeric address; empty if it is not known.
    public var address: String
    /// The HTTP status of the response.
    public var status: Int
    /// The time from the request line to the end of the response.
    public var duration: Duration
    /// The number of received bytes of the body.
    public var bytesReceived: Int
    /// The number of sent bytes of the body.
    public var bytesSent: Int
    /// True if the client closed the connection before the response was complete.
    public var isCutOff: Bool
    /// The further fields of the log line.
    public var log: HTTPLogFields
}

/// The reason why a server cannot start.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason and what to change, as a sentence.
    public let message: String
    /// Creates an error with a message.
    public init(_ message: String) { self.message = message }
    /// The message.
    public var description: String { message }
}

/// The address and the limits of a server.
public struct HTTPServerOptions: Sendable {
    /// The numeric IPv4 or IPv6 address to listen on.
    public var address = "127.0.0.1"
    /// The port to listen on; 0 uses a free port.
    public var port = 0
    /// The socket that ``listen(onSocket:)`` has adopted; `nil` if the server opens its own.
    public internal(set) var listeningSocket: Int32?
    /// The greatest number of open connections.
    public var connections = 10_000
    /// The greatest number of open connections from one address, and of running requests of one
    /// client behind a proxy. The addresses of one IPv6 /64 network count as one.
    public var connectionsPerAddress = 5_000
    /// Seconds without traffic after which a connection is closed.
    public var idleSeconds = 15
    /// Seconds that a request's headers may take, from the connection or the response before, and
    /// that a body may take, from the end of the headers, until the right of its client is known.
    public var headerSeconds = 30
    /// Seconds that a request's body may take, from the end of the headers.
    public var bodySeconds = 300
    /// The least number of bytes of a body in a second, as the mean of 20 seconds. A body that
    /// arrives more slowly costs the connection.
    public var leastBodyRate = 4096
    /// The greatest number of bytes of the request line and headers together.
    public var headerBytes = 16_384
    /// The greatest number of bytes in memory for all requests: bodies, before and after
    /// decompression, answers that are not sent yet, what is decoded from bodies, and what is
    /// shown to a validation hook. One request, one zone and one client have half of it each, and
    /// so have together all bodies of requests of which the right is not known yet.
    public var bufferedBytes = 512 << 20
    /// Seconds for which a client keeps the memory of a body before its right is known, or of an
    /// answer that it does not read, even if others lack memory. Then those that keep it longest
    /// are disconnected first.
    public var heldSeconds = 5
    /// The number of threads that work on requests. A zone, and a client, occupies at most three
    /// quarters of them.
    public var workers = 24
    /// The greatest number of requests that wait for a thread; three quarters of it for one zone.
    public var waitingRequests = 1_000
    /// The number of bytes of a body that are read before the right of the client is checked.
    static let unadmittedBytes = 16 << 10
    /// The proxies that the server believes the address of a client.
    public var proxies = TrustedProxies()
    /// A certificate chain and its private key in PEM; `nil` serves HTTP without TLS.
    public var tls: (certificate: String, key: String)?

    /// The authorities in PEM of which each client must have a certificate; `nil` if clients need
    /// none.
    public var clientAuthorities: String?

    /// Called when requests have freed much memory since the last call, an eighth of
    /// ``bufferedBytes``, and when the server has become quiet after requests.
    public var whenFreed: @Sendable () -> Void = {}

    /// The clock by which a body has to arrive in time.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }

    /// Creates the default options.
    public init() {}
}
