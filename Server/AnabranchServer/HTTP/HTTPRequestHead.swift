/// A request as far as its headers.
public struct HTTPRequestHead: Sendable {
    public var method: String
    /// As it was sent, escapes and all: no path of ours needs one.
    public var path: String
    /// What stood behind the question mark, as it was sent.
    public var query: String
    public var headers: HTTPHeaders

    public init(method: String, path: String, query: String = "", headers: HTTPHeaders) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
    }

    var hasNoBody: Bool {
        headers["Transfer-Encoding"] == nil && (headers["Content-Length"] ?? "0") == "0"
    }
}

/// Header fields in the order in which they came.
public struct HTTPHeaders: Sendable {
    public private(set) var fields: [(name: String, value: String)] = []

    public init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

    public mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }

    /// The values of every field of that name, whatever its case.
    public subscript(all name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// The value of the first field of that name.
    public subscript(name: String) -> String? {
        fields.first { Self.isSame($0.name, name) }?.value
    }

    /// Names are ASCII tokens: locale and canonical equivalence have no say.
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
    /// Without the spaces and tabs around it, in lower-case ASCII: how field values are compared.
    var headerToken: String {
        let bytes = utf8.drop { $0 == 32 || $0 == 9 }.reversed().drop { $0 == 32 || $0 == 9 }
        return String(decoding: bytes.reversed().map(\.lowercasedASCII), as: UTF8.self)
    }
}
