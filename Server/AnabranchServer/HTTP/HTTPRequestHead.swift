/// The request line and the headers of a request.
public struct HTTPRequestHead: Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The path as it was sent, with its percent escapes. No path of this server needs them.
    public var path: String
    /// The text after the question mark, as it was sent.
    public var query: String
    /// The header fields.
    public var headers: HTTPHeaders

    /// The client's numeric address, or the one that a trusted proxy tells; empty if it is not
    /// known.
    public var address: String
    /// The ID of the request in the log and in the answer; empty if it has none yet.
    public var id = ""

    /// Creates a request head.
    public init(
        method: String, path: String, query: String = "", headers: HTTPHeaders,
        address: String = ""
    ) {
        self.address = address
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
    }

    /// The ID that a proxy or a client gave to the request; `nil` if it is unfit for a log line.
    var givenID: String? {
        guard let id = headers["X-Request-ID"], (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte.lowercasedASCII
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            })
        else { return nil }
        return id
    }

    var hasNoBody: Bool {
        headers["Transfer-Encoding"] == nil && (headers["Content-Length"] ?? "0") == "0"
    }
}

/// Header fields in the order in which they were received.
public struct HTTPHeaders: Sendable {
    /// The names and values of the fields.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Creates headers from names and values.
    public init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

    /// Adds a field after the others.
    public mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }

    /// The values of every field with that name; case is ignored.
    public subscript(all name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// The value of the first field with that name; case is ignored.
    public subscript(name: String) -> String? {
        fields.first { Self.isSame($0.name, name) }?.value
    }

    /// Compares names as ASCII tokens, independent of locale and canonical equivalence.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension String {
    /// The text without surrounding spaces and tabs, in lower-case ASCII, for comparing field
    /// values.
    var headerToken: String {
        let bytes = utf8.drop { $0 == 32 || $0 == 9 }.reversed().drop { $0 == 32 || $0 == 9 }
        return String(decoding: bytes.reversed().map(\.lowercasedASCII), as: UTF8.self)
    }
}

extension HTTPHeaders {
    /// The field that every answer has, so that each request reaches the server and its answer
    /// arrives as it was sent: caches neither keep nor reuse it, and proxies change no byte.
    static let unchanged = (name: "Cache-Control", value: "no-cache, no-transform, no-store")
}
