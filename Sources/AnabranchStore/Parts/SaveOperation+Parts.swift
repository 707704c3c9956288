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
        let part = try finishPayload()
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
        guard !parts.isEmpty else { return (.save, try finishPayload()) }
        if !encoder.isEmpty { try cut() }
        return (.saveInParts, PartList(parts).encoded())
    }

    private func finishPayload() throws -> [UInt8] {
        guard encoder.isWithinLimits else { throw tooLarge(encoder.byteCount) }
        let payload = encoder.finish()
        guard payload.count < Limits.largestChangeSet - (1 << 20) else {
            throw tooLarge(payload.count)
        }
        return payload
    }

    private func tooLarge(_ byteCount: Int) -> StoreError {
        StoreError(
            .saveTooLarge,
            "Can't save \(byteCount) bytes and \(encoder.cellCount) values in one piece because a "
                + "part of a save holds \(Limits.largestChangeSet) bytes and \(Limits.mostCells) "
                + "values; save smaller values.")
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
