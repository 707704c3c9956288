/// Rejects requests with a faulty request line or faulty headers that libmicrohttpd accepts.
///
/// libmicrohttpd 0.9.75 does not check these. With each of them, two servers on one path can read
/// two different requests from the same bytes, or a text can end early.
///
/// Source: RFC 9112 §3.2, §5.1, §6.1–6.3, §11.2.
enum RequestCheck {
    /// Checks the request line.
    ///
    /// - Parameters:
    ///   - uri: The URI as it was sent.
    ///   - isCutShort: True if the URI contains a NUL, so that `uri` is only its beginning.
    ///   - version: The protocol and its version, such as `HTTP/1.1`.
    ///
    /// - Returns: The first fault, or `nil` if there is none.
    static func fault(uri: String, isCutShort: Bool, version: String) -> HTTPFault? {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            return .malformed(cause: "its version is not HTTP/1.1")
        }
        guard !isCutShort, !uri.utf8.contains(where: { $0 <= 32 || $0 >= 127 }) else {
            return .malformed(cause: "its path has a byte that may not stand there")
        }
        guard !uri.contains("%00") else {
            return .malformed(cause: "its path has an escaped NUL")
        }
        return uri.hasPrefix("/") ? nil : .malformed(cause: "its path does not begin with /")
    }

    static func fault(headers: HTTPHeaders) -> HTTPFault? {
        for (name, value) in headers.fields {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                return .malformed(cause: "a header's name has a byte that may not stand there")
            }
            guard value.utf8.allSatisfy({ ($0 >= 32 || $0 == 9) && $0 != 127 }) else {
                return .malformed(
                    cause: "the header \(name) has a byte that may not stand there", header: name)
            }
        }
        for name in ["Host", "Content-Length", "Transfer-Encoding", "Authorization"] {
            guard headers[all: name].count <= 1 else {
                return .malformed(cause: "the header \(name) is there twice", header: name)
            }
        }
        guard headers["Host"] != nil else {
            return .malformed(cause: "the header Host is missing", header: "Host")
        }
        return framingFault(headers)
    }

    private static func framingFault(_ headers: HTTPHeaders) -> HTTPFault? {
        if let encoding = headers["Transfer-Encoding"] {
            guard encoding.headerToken == "chunked" else {
                return .malformed(
                    cause: "its transfer encoding is not chunked", header: "Transfer-Encoding")
            }
            guard headers["Content-Length"] == nil else {
                return .malformed(
                    cause: "it has both a length and a transfer encoding",
                    header: "Content-Length")
            }
        }
        if let length = headers["Content-Length"] {
            guard !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) }) else {
                return .malformed(
                    cause: "its length is not a number", header: "Content-Length")
            }
        }
        return nil
    }
}
