import AnabranchProtocol
import AnabranchReplication
import Foundation

/// Answers the requests of the sync protocol.
///
/// The path is checked with the headers alone. Token, role and method are checked by a thread that
/// may block, before more than the beginning of the body is read.
package final class SyncRouter: HTTPHandler {
    let zones: OpenZones
    let events: EventHub
    private let access: AccessControl
    private let rates: RateLimiter
    private let limits: ZoneLimits
    private let log: RequestLog
    private let metrics: ServerMetrics
    /// Called for each request that reads data of a zone, before it is answered.
    let recordRead: @Sendable (ReadRecord) -> Void
    private let checkIsReady: @Sendable () throws -> Void

    package init(
        zones: OpenZones, access: AccessControl, rates: RateLimiter, events: EventHub,
        limits: ZoneLimits, log: RequestLog, metrics: ServerMetrics,
        recordRead: @escaping @Sendable (ReadRecord) -> Void = { _ in },
        checkIsReady: @escaping @Sendable () throws -> Void
    ) {
        self.zones = zones
        self.access = access
        self.rates = rates
        self.events = events
        self.limits = limits
        self.log = log
        self.metrics = metrics
        self.recordRead = recordRead
        self.checkIsReady = checkIsReady
    }

    package func exchange(for head: HTTPRequestHead) -> HTTPExchange {
        var fields = HTTPLogFields()
        do throws(ProtocolError) {
            let route = try Route(path: head.path)
            guard case .zone(let name, let page) = route else {
                try Self.checkMethod(head, route)
                return route == .ready ? readiness : Self.isAlive
            }
            fields.zone = name.string
            // Guesses of tokens count too.
            try rates.count(address: head.address)
            return .work(
                HTTPWork(
                    limit: bodyLimit(of: page), zone: name.string,
                    client: AccessControl.client(of: head)
                ) { [self, fields] in admission(of: head, to: route, name, page, fields) })
        } catch {
            return .answer(HTTPResponse(error, log: fields))
        }
    }

    /// Checks what a request may do in a zone.
    private func admission(
        of head: HTTPRequestHead, to route: Route, _ name: ZoneName, _ page: Route.Page,
        _ fields: HTTPLogFields
    ) -> HTTPAdmission {
        var fields = fields
        do throws(ProtocolError) {
            let (holder, role) = try access.check(
                head, in: name, role: route.role ?? .read)
            fields.note(holder)
            try rates.count(holder)
            try Self.checkMethod(head, route)
            let origin = RequestOrigin(
                holder: holder, role: role, address: head.address, request: head.id)
            return .admitted(try responder(to: head, from: origin, name, page, fields))
        } catch {
            return .refused(HTTPResponse(error, log: fields))
        }
    }

    private static let isAlive = HTTPExchange.answer(HTTPResponse(json: #"{"status":"ok"}"#))

    /// Looks at the storage, and at the zones that were opened, before it answers.
    private var readiness: HTTPExchange {
        .read(limit: 0) { [checkIsReady, zones] _ in
            do {
                try checkIsReady()
                let failing = try zones.checkHealth()
                return HTTPResponse(
                    json: failing == 0
                        ? #"{"status":"ready"}"#
                        : #"{"status":"degraded","failingZones":\#(failing)}"#)
            } catch {
                return HTTPResponse(
                    ProtocolError(
                        .overloaded, "The server can't serve now.",
                        details: [ProtocolError.causeDetail: "\(error)"]), log: HTTPLogFields())
            }
        }
    }

    private static func checkMethod(
        _ head: HTTPRequestHead, _ route: Route
    ) throws(ProtocolError) {
        guard route.methods.contains(head.method) else {
            let allowed = route.methods.joined(separator: ", ")
            throw ProtocolError(
                .methodNotAllowed, "\(head.path.shownPath) takes \(allowed) only.",
                details: ["allow": allowed])
        }
    }

    private func responder(
        to head: HTTPRequestHead, from origin: RequestOrigin, _ name: ZoneName,
        _ page: Route.Page, _ fields: HTTPLogFields
    ) throws(ProtocolError) -> @Sendable ([UInt8], RequestMemory) -> HTTPResponse {
        switch page {
        case .hello, .push, .pull, .repair, .snapshot, .checksums, .stage, .part:
            try Self.checkMediaType(head)
            return { [self] body, memory in
                answer(fields) { fields throws(ProtocolError) in
                    try zones.withZone(name) { zone throws(ProtocolError) in
                        let message = ReceivedMessage(body: body, origin: origin, memory: memory)
                        return HTTPResponse(
                            message: try response(to: message, page, zone, head, &fields))
                    }
                }
            }
        case .events:
            return { [self] _, _ in
                answer(fields) { _ throws(ProtocolError) in
                    try events.response(for: name, of: zones, to: origin.holder)
                }
            }
        case .hash, .description:
            return { [self] _, memory in
                answer(fields) { _ throws(ProtocolError) in
                    try zones.withZone(name) { zone throws(ProtocolError) in
                        HTTPResponse(json: try Self.text(page, of: zone, memory))
                    }
                }
            }
        }
    }

    private func bodyLimit(of page: Route.Page) -> Int {
        switch page {
        case .push, .stage: limits.bodyBytes
        case .repair: SyncProtocol.maximumRepairs * 32
        default: 4096
        }
    }

    private static func checkMediaType(_ head: HTTPRequestHead) throws(ProtocolError) {
        let type = head.headers["Content-Type"] ?? ""
        guard
            type.split(separator: ";").first.map({ String($0).headerToken })
                == SyncProtocol.mediaType
        else {
            throw ProtocolError(
                .unsupportedMediaType, "The body must be of type \(SyncProtocol.mediaType).",
                details: ["header": "Content-Type"])
        }
    }

    private func response(
        to message: ReceivedMessage, _ page: Route.Page, _ zone: ZoneService,
        _ head: HTTPRequestHead, _ fields: inout HTTPLogFields
    ) throws(ProtocolError) -> [UInt8] {
        switch page {
        case .hello:
            let request = try HelloRequest(decoding: message.body)
            fields.replica = request.replica.description
            var response = try zone.hello(
                request, isRecorded: message.origin.role >= .write)
            // An earlier client reads no field behind those that it knows.
            if !head.acceptsNamedFields { response.quotas = [] }
            return response.encoded()
        case .push:
            try message.needCopies(2)
            let answer = try zone.push(
                try PushRequest(decoding: message.body), from: message.origin, message.memory)
            fields.replica = answer.acknowledgements.first?.dot.replica.description
            fields.error = answer.refusal?.code.rawValue
            fields.replica = fields.replica ?? answer.refusal?.details["replica"]
            return answer.response.encoded()
        case .checksums:
            let request = try ChecksumsRequest(decoding: message.body)
            return try zone.checksums(request, message.memory).encoded()
        case .stage:
            try message.needCopies(1)
            return try zone.stage(try StageRequest(decoding: message.body)).encoded()
        case .snapshot: return try snapshot(message, zone)
        case .part: return try part(message, zone)
        case .repair: return try repair(message, zone)
        default: return try pull(message, zone)
        }
    }

    private static func text(
        _ page: Route.Page, of zone: ZoneService, _ memory: RequestMemory
    ) throws(ProtocolError) -> String {
        page == .hash
            ? ZonePages.hash(try zone.canonicalHash(memory))
            : ZonePages.description(try zone.information())
    }

    private func answer(
        _ fields: HTTPLogFields,
        _ body: (inout HTTPLogFields) throws(ProtocolError) -> HTTPResponse
    ) -> HTTPResponse {
        var fields = fields
        do throws(ProtocolError) {
            var response = try body(&fields)
            response.log = fields
            return response
        } catch {
            return HTTPResponse(error, log: fields)
        }
    }

    package func answer(to fault: HTTPFault) -> HTTPResponse {
        HTTPResponse(ProtocolError(fault), log: HTTPLogFields())
    }

    package func finished(_ record: HTTPRecord) {
        log.write(record)
        let page = (try? Route(path: record.path))?.label ?? "none"
        metrics.requests.add(1, page, "\(record.status)")
        if page != "events" {
            metrics.requestSeconds.record(record.duration / .seconds(1), page)
        }
        metrics.receivedBytes.add(Double(record.bytesReceived))
        metrics.sentBytes.add(Double(record.bytesSent))
        if let code = record.log.error { metrics.errors.add(1, code) }
    }
}

extension HTTPRequestHead {
    /// True if the client passes over fields of an answer that it does not know.
    fileprivate var acceptsNamedFields: Bool {
        headers[all: "Accept"].contains { $0.contains(SyncProtocol.namedFields) }
    }
}
