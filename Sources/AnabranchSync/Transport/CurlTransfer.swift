internal import CCurl
internal import Synchronization

/// One request in the form that libcurl needs.
struct CurlTransfer: Sendable {
    var url: String
    /// The headers, each in the form "Name: value".
    var headers: [String]
    /// The body of a POST, or `nil` for a GET.
    var body: [UInt8]?
    /// The time for the whole transfer, or `nil` for an endless one.
    var timeout: Duration?
    var connectTimeout: Duration
    /// The time for which the transfer may go on without another byte, or `nil` if only `timeout`
    /// counts. The transfer's loop asks for it on the connection's queue, and ends the transfer as
    /// timed out if the answer is not positive.
    var patience: (@Sendable () -> Duration)?
    /// The file with the trusted certificate authorities; `nil` trusts those of the system.
    var certificateAuthorities: String?
    /// The certificate of the client; `nil` if it has none.
    var clientCertificate: ClientCertificate?
    /// The digests of the trusted public keys in libcurl's form; empty if every key of a trusted
    /// certificate is trusted.
    var pinnedPublicKeys = ""
    var largestResponse: Int
    /// Receives the bytes of a response with status 200, which are then not collected.
    var onBytes: (@Sendable ([UInt8]) throws -> Void)?
}

/// A response: its headers in lower case, and its body as it was sent.
struct CurlResponse: Sendable {
    var status = 0
    var contentType = ""
    var contentEncoding = ""
    var retryAfter: Duration?
    var body: [UInt8] = []
}

/// Collects the data of a transfer, only on the connection's queue.
final class CurlReceiver {
    private(set) var response = CurlResponse()
    /// The reason why the receiver ended the transfer.
    private(set) var failure: (any Error)?
    private let limit: Int
    private let onBytes: (@Sendable ([UInt8]) throws -> Void)?

    init(_ transfer: CurlTransfer) {
        limit = transfer.largestResponse
        onBytes = transfer.onBytes
    }

    /// Receives a part of the body.
    ///
    /// - Returns: `false` to end the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        if let onBytes, response.status == 200 {
            do { try onBytes(Array(bytes)) } catch { failure = error }
            return failure == nil
        }
        guard response.body.count + bytes.count <= limit else {
            failure = SyncError(
                .responseTooLarge,
                "Can't use the response because it has more than \(limit) bytes.")
            return false
        }
        response.body.append(contentsOf: bytes)
        return true
    }

    /// Receives one header line. Another status line replaces the response, as after `100
    /// Continue`.
    func receive(header bytes: UnsafeRawBufferPointer) -> Bool {
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        guard !line.isEmpty else { return beginBody() }
        if line.starts(with: "HTTP/".utf8) {
            response = CurlResponse()
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            response.status = words.count > 1 ? Int(Self.text(words[1])) ?? 0 : 0
            return true
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
        let name = line[..<colon]
        if Self.isName(name, "content-type") {
            response.contentType = Self.text(value.prefix { $0 != UInt8(ascii: ";") }).lowercased()
        } else if Self.isName(name, "content-encoding") {
            response.contentEncoding = Self.text(value).lowercased()
        } else if Self.isName(name, "retry-after") {
            response.retryAfter = Int(Self.text(value)).map { .seconds(max($0, 0)) }
        }
        return true
    }

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

    /// True if a name is this one, which is in lower case, but for its case.
    private static func isName(_ bytes: Bytes, _ name: String) -> Bool {
        bytes.count == name.utf8.count && text(bytes).lowercased() == name
    }

    /// Notifies a listener that the stream is open, before its first event.
    private func beginBody() -> Bool {
        guard let onBytes, response.status == 200 else { return true }
        guard response.contentType == "text/event-stream" else {
            failure = SyncError(
                .damagedResponse,
                "Can't follow the zone's events because the server answers with "
                    + "\"\(response.contentType)\". Check the server's address."
            )
            return false
        }
        guard ["", "identity"].contains(response.contentEncoding) else {
            failure = SyncError(
                .damagedResponse,
                "Can't follow the zone's events because they are encoded as "
                    + "\"\(response.contentEncoding)\". A proxy before the server must not change "
                    + "them.")
            return false
        }
        do { try onBytes([]) } catch { failure = error }
        return failure == nil
    }
}

/// Allows another thread to end a transfer.
final class CurlCancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }
    func cancel() { flag.store(true, ordering: .releasing) }
}
