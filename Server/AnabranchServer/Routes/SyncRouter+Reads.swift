import AnabranchProtocol
import AnabranchReplication

// Requests that read data of a zone. Each is recorded for the audit log before it is answered.
extension SyncRouter {
    func pull(
        _ message: ReceivedMessage, _ zone: ZoneService
    ) throws(ProtocolError) -> [UInt8] {
        let request = try PullRequest(decoding: message.body)
        let response = try recorded(.pull, from: message.origin, zone) { () throws(ProtocolError) in
            try zone.pull(request, message.memory)
        } content: {
            .changeSets($0.changeSets.count, upTo: $0.cursor.position)
        }
        return response.encoded()
    }

    func snapshot(
        _ message: ReceivedMessage, _ zone: ZoneService
    ) throws(ProtocolError) -> [UInt8] {
        let request = try SnapshotRequest(decoding: message.body)
        let response = try recorded(.snapshot, from: message.origin, zone) {
            () throws(ProtocolError) in
            try message.memory.need(2 * zone.limits.pageBytes)
            return try zone.snapshot(request)
        } content: {
            .chunk(request.number, of: $0.chunkCount, at: $0.snapshot.cursor.position)
        }
        return response.encoded()
    }

    func repair(
        _ message: ReceivedMessage, _ zone: ZoneService
    ) throws(ProtocolError) -> [UInt8] {
        let request = try RepairRequest(decoding: message.body)
        let response = try recorded(.repair, from: message.origin, zone) {
            () throws(ProtocolError) in
            try zone.repair(request, message.memory)
        } content: {
            .records($0.images.count, at: $0.position)
        }
        return response.encoded()
    }

    func part(
        _ message: ReceivedMessage, _ zone: ZoneService
    ) throws(ProtocolError) -> [UInt8] {
        let request = try PartRequest(decoding: message.body)
        let response = try recorded(.part, from: message.origin, zone) { () throws(ProtocolError) in
            try message.memory.need(2 * zone.limits.pageBytes)
            return try zone.part(request)
        } content: {
            .bytes($0.bytes.count)
        }
        return response.encoded()
    }

    /// Runs a read, and records what it read or why it was refused.
    private func recorded<Response>(
        _ event: ReadRecord.Event, from origin: RequestOrigin, _ zone: ZoneService,
        _ read: () throws(ProtocolError) -> Response, content: (Response) -> ReadRecord.Content
    ) throws(ProtocolError) -> Response {
        do throws(ProtocolError) {
            let response = try read()
            recordRead(
                ReadRecord(
                    event: event, zone: zone.name, origin: origin, content: content(response)))
            return response
        } catch {
            recordRead(
                ReadRecord(
                    event: event, zone: zone.name, origin: origin, content: .refused(error.code)))
            throw error
        }
    }
}
