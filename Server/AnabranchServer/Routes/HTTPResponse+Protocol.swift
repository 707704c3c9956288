import AnabranchProtocol
import Foundation

extension HTTPResponse {
    init(message: [UInt8]) {
        self.init(
            status: 200,
            headers: HTTPHeaders([
                ("Content-Type", SyncProtocol.mediaType), HTTPHeaders.unchanged,
            ]), body: .bytes(message))
    }

    init(json: String, status: Int = 200) {
        self.init(
            status: status,
            headers: HTTPHeaders([
                ("Content-Type", "application/json"), HTTPHeaders.unchanged,
                ("X-Content-Type-Options", "nosniff"),
            ]), body: .bytes(Array(json.utf8)))
    }

    /// The response to a refused request. Causes inside the server go to the log only.
    init(_ error: ProtocolError, log: HTTPLogFields) {
        let shown = error.details.filter { $0.key != ProtocolError.causeDetail }
        self.init(
            json: Self.json(error, details: shown), status: error.code.httpStatus)
        switch error.code {
        case .unauthorized: headers.append("WWW-Authenticate", "Bearer")
        case .methodNotAllowed: headers.append("Allow", shown["allow"] ?? "GET, POST")
        case .unsupportedMediaType: headers.append("Accept-Encoding", "zstd, identity")
        case .storageFull, .quotaExceeded: headers.append("Retry-After", "60")
        case .tooManyRequests:
            headers.append("Retry-After", shown[ProtocolError.retryAfterDetail] ?? "1")
        default: if error.code.isTransient { headers.append("Retry-After", "1") }
        }
        self.log = log
        self.log.error = error.code.rawValue
        self.log.cause = error.details[ProtocolError.causeDetail]
    }

    private struct Envelope: Encodable {
        struct Content: Encodable {
            var code: String
            var message: String
            var details: [String: String]
        }
        var error: Content
    }

    private static func json(_ error: ProtocolError, details: [String: String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let envelope = Envelope(
            error: .init(code: error.code.rawValue, message: error.message, details: details))
        // A struct of texts always encodes.
        guard let data = try? encoder.encode(envelope) else { return "{}" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension ProtocolError {
    init(_ fault: HTTPFault) {
        switch fault {
        case .malformed(let cause, let header):
            self.init(
                .malformedRequest, "Can't take the request because \(cause).",
                details: header.map { ["header": $0] } ?? [:])
        case .bodyTooLarge(let limit):
            self.init(
                .bodyTooLarge, "Can't take a body of more than \(limit) bytes here.",
                details: ["limit": "\(limit)"])
        case .unsupportedEncoding(let name):
            self.init(
                .unsupportedMediaType,
                "Can't read a body in \(name.prefix(40)): send zstd or none.",
                details: ["header": "Content-Encoding"])
        case .untrustedClient(let cause):
            self.init(
                .unauthorized,
                "Can't serve this client because its TLS certificate is not accepted: \(cause).",
                details: ["certificate": "client"])
        case .crowdedAddress:
            self.init(
                .tooManyRequests, "There are too many connections from this address: close some.",
                details: ["limit": "connections-per-address", Self.retryAfterDetail: "10"])
        case .overloaded: self.init(.overloaded, "The server has too much to do: try again.")
        case .shuttingDown: self.init(.shuttingDown, "The server is stopping: try again.")
        }
    }
}
