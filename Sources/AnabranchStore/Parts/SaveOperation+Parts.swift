import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// A save is encoded in the pass that writes its rows. What has become as large as a part is taken
// out of the encoder and kept, so that no more than one part is in memory.
extension SaveOperation {
    /// What the present part has room for: bytes, and values, identities and tags.
    var room: (byteCount: Int, cellCount: Int) {
        (
            max(partLimits.byteCount - encoder.byteCount, 1),
            max(partLimits.cellCount - encoder.cellCount, 1)
        )
    }

    /// Rows for which a block need be prepared.
    func capacity(_ rows: Int) -> Int { min(rows, partLimits.cellCount) }

    /// Ends the present part where it is full.
    mutating func cutIfFull() throws {
        guard encoder.byteCount >= partLimits.byteCount || encoder.cellCount >= partLimits.cellCount
        else { return }
        try cut()
    }

    /// Ends the present part.
    private mutating func cut() throws {
        let part = try finishPayload(within: Limits.largestPart)
        guard parts.count < Limits.mostParts else {
            throw StoreError(
                .saveTooLarge,
                "Can't save so much at once because a save has \(Limits.mostParts) parts at most; "
                    + "save less at a time.")
        }
        parts.append(try PartTable(connection).keep(part))
        encoder = ChangePayloadEncoder(author: replica)
    }

    /// What the log says of the save: all of it, or the list of its parts.
    mutating func finish() throws -> (kind: LogEntryKind, payload: [UInt8]) {
        guard !parts.isEmpty else {
            return (.save, try finishPayload(within: Limits.largestChangeSet).bytes)
        }
        if !encoder.isEmpty { try cut() }
        return (.saveInParts, PartList(parts).encoded())
    }

    private func finishPayload(within byteLimit: Int) throws -> ByteWriter {
        guard encoder.isWithinLimits else { throw tooLarge(encoder.byteCount, byteLimit) }
        let payload = encoder.finished()
        // Who gives the save other names later needs some room.
        guard payload.count < byteLimit - (1 << 20) else {
            throw tooLarge(payload.count, byteLimit)
        }
        return payload
    }

    private func tooLarge(_ byteCount: Int, _ byteLimit: Int) -> StoreError {
        StoreError(
            .saveTooLarge,
            "Can't save \(byteCount) bytes and \(encoder.cellCount) values in one piece because a "
                + "part of a save holds \(byteLimit) bytes and \(Limits.mostCells) values; save "
                + "smaller values.",
            entity: presentEntity?.name, records: [present])
    }

    /// - Parameter ids: One of which has too much.
    func recordTooLarge(_ ids: [LocalID], _ error: SQLiteError) -> StoreError {
        let entity = presentEntity?.name
        return StoreError(
            .saveTooLarge,
            "Can't save a record of \(entity ?? "the store") because its values have more than "
                + "\(partLimits.recordBytes) bytes together; make them smaller, or keep them in "
                + "several records.", entity: entity, records: ids, underlying: error)
    }
}

extension Value {
    /// About, of the encoded value.
    var byteEstimate: Int {
        switch self {
        case .string(let text), .uri(let text): text.utf8.count
        case .data(let bytes): bytes.count
        default: 16
        }
    }
}
