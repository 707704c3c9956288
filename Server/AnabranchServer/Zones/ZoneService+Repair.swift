package import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// The merged state of some records, all at one position of the log.
    ///
    /// - Returns: Images of the first requested records, as many as a response holds.
    ///
    /// - Throws: `unknownEpoch` if the client knows another log: send hello. `repairTooLarge` if
    ///   the first record is larger than a response may be, or needs more memory than a request
    ///   has: take a snapshot.
    package func repair(
        _ request: RepairRequest, _ memory: RequestMemory? = nil
    ) throws(ProtocolError) -> RepairResponse {
        try named {
            guard request.records.count <= SyncProtocol.maximumRepairs else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't repair \(request.records.count) records at once: ask for "
                        + "\(SyncProtocol.maximumRepairs) at most.",
                    details: ["field": "records", "limit": "\(SyncProtocol.maximumRepairs)"])
            }
            return try storage.read { reader in
                let head = try reader.logState().head
                guard head.epoch == request.epoch else {
                    throw ProtocolError(
                        .unknownEpoch,
                        "Can't repair from this log because it is of another epoch: say hello.")
                }
                return RepairResponse(
                    position: head.position, wallMilliseconds: wallMilliseconds(),
                    images: try images(of: request.records, reader, memory))
            }
        }
    }

    /// The images of the first records. The memory of each is counted before it is read.
    private func images(
        of records: [RecordID], _ reader: any ZoneReading, _ memory: RequestMemory?
    ) throws -> [RecordImage] {
        var images: [RecordImage] = []
        var byteCount = 0
        for record in records {
            guard images.isEmpty || byteCount < limits.pageBytes else { break }
            guard let image = try self.image(of: record, reader, memory) else {
                if !images.isEmpty { break }
                throw Self.tooLarge(
                    record, "there is no memory for its values and links",
                    limit: memory?.limit ?? 0)
            }
            var size = ByteWriter()
            size.append(image: image)
            guard byteCount + size.count <= limits.bodyBytes else {
                if !images.isEmpty { break }
                throw Self.tooLarge(
                    record, "it has \(size.count) bytes", limit: limits.bodyBytes)
            }
            byteCount += size.count
            images.append(image)
        }
        return images
    }

    /// The image of a record, with memory for the answer that has it.
    ///
    /// - Returns: `nil` if a request can never have that much.
    private func image(
        of record: RecordID, _ reader: any ZoneReading, _ memory: RequestMemory?
    ) throws -> RecordImage? {
        guard let memory else { return try reader.image(of: record) }
        let most = memory.limit / ImageSize.bytesPerLink + 1
        let size = try reader.imageSize(of: record, linkLimit: most)
        guard try memory.needAll(size.memoryBytes) else { return nil }
        let image = try reader.image(of: record)
        guard let held = image.record else { return image }
        var written = size
        written.addNames(of: held)
        return try memory.needAll(written.memoryBytes - size.memoryBytes) ? image : nil
    }

    private static func tooLarge(
        _ record: RecordID, _ cause: String, limit: Int
    ) -> ProtocolError {
        ProtocolError(
            .repairTooLarge,
            "Can't give record \(record) in one answer because \(cause): take a snapshot.",
            details: ["limit": "\(limit)"])
    }
}
