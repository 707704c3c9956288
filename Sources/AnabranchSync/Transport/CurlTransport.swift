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
        return try reply(try await connection.perform(transfer), to: transfer.body?.count ?? 0)
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
            refusal(
                response.status, response.body, purpose: "follow the zone's events", sending: 0),
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

    /// - Parameter bodyByteCount: The length of the request's body, as it was sent.
    private func reply(_ response: CurlResponse, to bodyByteCount: Int) throws -> TransportReply {
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
                refusal(response.status, body, purpose: "sync", sending: bodyByteCount),
                retryAfter: response.retryAfter)
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
    private func refusal(
        _ status: Int, _ body: [UInt8], purpose: String, sending bodyByteCount: Int
    ) -> ProtocolError {
        guard let page = try? JSONDecoder().decode(ErrorPage.self, from: Data(body)) else {
            return ForeignAnswer(
                status: status, server: address.base, purpose: purpose,
                bodyByteCount: bodyByteCount
            ).error
        }
        let error = ProtocolError(
            ProtocolError.Code(rawValue: page.error.code), page.error.message,
            details: page.error.details ?? [:])
        return address.token == nil ? error : error.explainingRemovedToken(on: address.base)
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
