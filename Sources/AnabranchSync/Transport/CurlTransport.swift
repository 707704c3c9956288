internal import AnabranchProtocol
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The connection to a zone over HTTP, by libcurl.
///
/// Requests share one connection that stays open; the event stream has its own. Redirects are not
/// followed, so the token is sent only to the server that it was given for.
package final class CurlTransport: Transport {
    private let address: ServerAddress
    private let options: SyncOptions
    private let connection: CurlConnection

    /// Creates a connection to the zone. Nothing is sent yet.
    package init(_ address: ServerAddress, options: SyncOptions = SyncOptions()) throws {
        self.address = address
        self.options = options
        connection = try CurlConnection(label: "anabranch.sync.requests")
    }

    package func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        var transfer = transfer(to: address.url(endpoint))
        transfer.headers += [
            "Content-Type: \(SyncProtocol.mediaType)",
            "Accept: \(SyncProtocol.mediaType); \(SyncProtocol.namedFields)",
            "Accept-Encoding: zstd",
            // Do not wait for `100 Continue` before a large body.
            "Expect:",
        ]
        let compressed = Zstandard.compress(body)
        if compressed != nil { transfer.headers.append("Content-Encoding: zstd") }
        transfer.body = compressed ?? body
        transfer.timeout = options.requestTimeout
        return try reply(try await connection.perform(transfer))
    }

    package func events() -> AsyncThrowingStream<ZoneEvent, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let following = Task { [self] in
                do {
                    try await follow(continuation)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in following.cancel() }
        }
    }

    private func follow(
        _ continuation: AsyncThrowingStream<ZoneEvent, any Error>.Continuation
    ) async throws {
        let clock = ContinuousClock()
        let parser = Mutex(EventStreamParser(asOf: clock.now))
        var transfer = transfer(to: address.eventsURL)
        transfer.headers += ["Accept: text/event-stream", "Cache-Control: no-store"]
        let limit = options.eventSilence
        transfer.patience = { limit - parser.withLock { $0.silence(asOf: clock.now) } }
        transfer.onBytes = { bytes in
            let events = try parser.withLock { parser throws(SyncError) in
                try parser.consume(bytes, at: clock.now)
            }
            if bytes.isEmpty { continuation.yield(.opened) }
            for event in events { continuation.yield(event) }
        }
        let stream = try CurlConnection(label: "anabranch.sync.events")
        let response = try await stream.perform(transfer)
        guard response.status != 200 else { return }
        throw SyncError(
            refusal(response.status, response.body, purpose: "follow the zone's events"),
            retryAfter: response.retryAfter)
    }

    private func transfer(to url: String) -> CurlTransfer {
        var headers = ["User-Agent: anabranch/\(SyncProtocol.version)"]
        if let token = address.token { headers.append("Authorization: Bearer \(token)") }
        return CurlTransfer(
            url: url, headers: headers, connectTimeout: options.connectTimeout,
            certificateAuthorities: options.effectiveCertificateAuthorities,
            clientCertificate: options.clientCertificate,
            pinnedPublicKeys: options.pinnedPublicKeys.joined(separator: ";"),
            largestResponse: options.largestResponse)
    }

    private func reply(_ response: CurlResponse) throws -> TransportReply {
        var body = response.body
        switch response.contentEncoding {
        case "", "identity": break
        case "zstd": body = try Zstandard.decompress(body, limit: options.largestResponse)
        default:
            throw SyncError(
                .damagedResponse,
                "Can't read the response because it is encoded as "
                    + "\"\(response.contentEncoding)\".")
        }
        guard response.status == 200 else {
            return .refusal(
                refusal(response.status, body, purpose: "sync"), retryAfter: response.retryAfter)
        }
        guard response.contentType == SyncProtocol.mediaType else {
            throw SyncError(
                .damagedResponse,
                "Can't read the response because its type is \"\(response.contentType)\". "
                    + "Check that \(address.base) is the address of a sync server.",
                details: ["server": address.base])
        }
        return .message(body)
    }

    /// The error of the error page, or one for the status if the page is not of the protocol.
    private func refusal(_ status: Int, _ body: [UInt8], purpose: String) -> ProtocolError {
        if let page = try? JSONDecoder().decode(ErrorPage.self, from: Data(body)) {
            return ProtocolError(
                ProtocolError.Code(rawValue: page.error.code), page.error.message,
                details: page.error.details ?? [:])
        }
        let code: ProtocolError.Code =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 413: .bodyTooLarge
            case 408, 429, 500...: .overloaded
            default: .malformedRequest
            }
        return ProtocolError(
            code,
            "Can't \(purpose) because \(address.base) answers with status \(status), which is not "
                + "a sync server's answer. Check the address.", details: ["status": "\(status)"])
    }

    private struct ErrorPage: Decodable {
        var error: Content

        struct Content: Decodable {
            var code: String
            var message: String
            var details: [String: String]?
        }
    }
}
