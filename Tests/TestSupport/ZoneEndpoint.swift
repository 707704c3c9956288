import AnabranchProtocol
package import AnabranchServer
package import AnabranchSync

/// A zone as its clients see it: bytes in, bytes or a refusal out, without HTTP.
package struct ZoneEndpoint: Sendable {
    package let service: ZoneService

    package init(_ service: ZoneService) { self.service = service }

    package func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply {
        do throws(ProtocolError) {
            switch endpoint {
            case .hello:
                return .message(try service.hello(HelloRequest(decoding: body)).encoded())
            case .pull:
                return .message(try service.pull(PullRequest(decoding: body)).encoded())
            case .repair:
                return .message(try service.repair(RepairRequest(decoding: body)).encoded())
            case .snapshot:
                return .message(try service.snapshot(SnapshotRequest(decoding: body)).encoded())
            case .checksums:
                return .message(
                    try service.checksums(ChecksumsRequest(decoding: body)).encoded())
            case .stage:
                return .message(try service.stage(StageRequest(decoding: body)).encoded())
            case .part:
                return .message(try service.part(PartRequest(decoding: body)).encoded())
            case .push:
                return .message(try service.push(PushRequest(decoding: body)).response.encoded())
            }
        } catch {
            return .refusal(error, retryAfter: nil)
        }
    }
}
