public import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// The merged state of some records, all at one position of the log.
    ///
    /// - Returns: Images of the first requested records, as many as a response holds.
    ///
    /// - Throws: `unknownEpoch` if the client knows another log: send hello. `repairTooLarge` if
    ///   the first record is larger than a response may be: take a snapshot.
    public func repair(_ request: RepairRequest) throws(ProtocolError) -> RepairResponse {
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
                    images: try images(of: request.records, reader))
            }
        }
    }

    private func images(
        of records: [RecordID], _ reader: any ZoneReading
    ) throws -> [RecordImage] {
        var images: [RecordImage] = []
        var byteCount = 0
        for record in records {
            guard images.isEmpty || byteCount < limits.pageBytes else { break }
            let image = try reader.image(of: record)
            var size = ByteWriter()
            size.append(image: image)
            guard byteCount + size.count <= limits.bodyBytes else {
                if !images.isEmpty { break }
                throw ProtocolError(
                    .repairTooLarge,
                    "Can't give record \(record) in one answer because it has \(size.count) bytes: "
                        + "take a snapshot.", details: ["limit": "\(limits.bodyBytes)"])
            }
            byteCount += size.count
            images.append(image)
        }
        return images
    }
}
