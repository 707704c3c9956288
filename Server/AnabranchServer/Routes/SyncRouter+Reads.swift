import AnabranchProtocol
import AnabranchReplication

// Requests that read data of a zone. Each is recorded for the audit log before it is answered.
extension SyncRouter {
    func pull(_ message: ReceivedMessage, _ zone: ZoneService) throws(ProtocolError) -> [UInt8] {
        try recorded(.pull, message, zone) { (request: PullRequest) throws(ProtocolError) in
            try zone.pull(request, message.memory)
        } content: { _, response in
            .changeSets(response.changeSets.count, upTo: response.cursor.position)
        }
    }

    func snapshot(_ message: ReceivedMessage, _ zone: ZoneService) throws(ProtocolError) -> [UInt8]
    {
        try recorded(.snapshot, message, zone) { (request: SnapshotRequest) throws(ProtocolError) in
            try message.memory.need(2 * zone.limits.pageBytes)
            return try zone.snapshot(request)
        } content: { request, response in
            .chunk(request.number, of: response.chunkCount, at: response.snapshot.cursor.position)
        }
    }

    func repair(_ message: ReceivedMessage, _ zone: ZoneService) throws(ProtocolError) -> [UInt8] {
        try recorded(.repair, message, zone) { (request: RepairRequest) throws(ProtocolError) in
            try zone.repair(request, message.memory)
        } content: { _, response in
            .records(response.images.count, at: response.position)
        }
    }

    func part(_ message: ReceivedMessage, _ zone: ZoneService) throws(ProtocolError) -> [UInt8] {
        try recorded(.part, message, zone) { (request: PartRequest) throws(ProtocolError) in
            try message.memory.need(2 * zone.limits.pageBytes)
            return try zone.part(request)
        } content: { _, response in
            .bytes(response.bytes.count)
        }
    }

    /// Answers a request, and records what it read or why it was refused.
    private func recorded<Request: Message, Response: Message>(
        _ event: ReadRecord.Event, _ message: ReceivedMessage, _ zone: ZoneService,
        _ read: (Request) throws(ProtocolError) -> Response,
        content: (Request, Response) -> ReadRecord.Content
    ) throws(ProtocolError) -> [UInt8] {
        let request = try Request(decoding: message.body)
        func record(_ content: ReadRecord.Content) {
            recordRead(
                ReadRecord(event: event, zone: zone.name, origin: message.origin, content: content))
        }
        do throws(ProtocolError) {
            let response = try read(request)
            record(content(request, response))
            return response.encoded()
        } catch {
            record(.refused(error.code))
            throw error
        }
    }
}
