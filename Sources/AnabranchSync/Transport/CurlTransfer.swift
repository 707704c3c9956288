internal import CCurl
internal import Synchronization

/// One request as libcurl is given it.
struct CurlTransfer: Sendable {
    var url: String
    /// Each as "Name: value".
    var headers: [String]
    /// `nil` makes it a GET.
    var body: [UInt8]?
    /// Of the whole transfer; `nil` for one that goes on.
    var timeout: Duration?
    var connectTimeout: Duration
    /// How long nothing may arrive; `nil` where only `timeout` counts.
    var silence: Duration?
    var certificateAuthorities: String?
    var largestResponse: Int
    /// Is given what arrives once the status is 200, instead of its being collected.
    var onBytes: (@Sendable ([UInt8]) throws -> Void)?
}

/// What came back: headers in lower case, the body as it was sent.
struct CurlResponse: Sendable {
    var status = 0
    var contentType = ""
    var contentEncoding = ""
    var retryAfter: Duration?
    var body: [UInt8] = []
}

/// Collects what libcurl hands over, on the connection's queue only.
final class CurlReceiver {
    private(set) var response = CurlResponse()
    /// Why the receiver broke the transfer off.
    private(set) var failure: (any Error)?
    private let limit: Int
    private let onBytes: (@Sendable ([UInt8]) throws -> Void)?

    init(_ transfer: CurlTransfer) {
        limit = transfer.largestResponse
        onBytes = transfer.onBytes
    }

    /// - Returns: Whether the transfer goes on.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        if let onBytes, response.status == 200 {
            do { try onBytes(Array(bytes)) } catch { failure = error }
            return failure == nil
        }
        guard response.body.count + bytes.count <= limit else {
            failure = SyncError(
                .responseTooLarge,
                "Can't take the response because it has more than \(limit) bytes.")
            return false
        }
        response.body.append(contentsOf: bytes)
        return true
    }

    /// One line of the head; another status line begins anew, as after `100 Continue`.
    func receive(header bytes: UnsafeRawBufferPointer) -> Bool {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            response = CurlResponse()
            let parts = line.split(separator: " ")
            response.status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            return true
        }
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return beginBody(after: line) }
        let value = parts[1].drop { $0 == " " }.prefix { !$0.isNewline }
        switch parts[0].lowercased() {
        case "content-type":
            response.contentType = value.prefix { $0 != ";" }.lowercased()
        case "content-encoding": response.contentEncoding = value.lowercased()
        case "retry-after": response.retryAfter = Int(value).map { .seconds(max($0, 0)) }
        default: break
        }
        return true
    }

    /// Tells a listener that the stream is open, before its first event.
    private func beginBody(after line: String) -> Bool {
        guard let onBytes, response.status == 200, line.allSatisfy(\.isNewline) else { return true }
        guard response.contentType == "text/event-stream" else {
            failure = SyncError(
                .damagedResponse,
                "Can't follow the zone's events because the server answers with "
                    + "\"\(response.contentType)\". Is this the address of a sync server?")
            return false
        }
        do { try onBytes([]) } catch { failure = error }
        return failure == nil
    }
}

/// Lets another thread end a transfer.
final class CurlCancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }
    func cancel() { flag.store(true, ordering: .releasing) }
}
