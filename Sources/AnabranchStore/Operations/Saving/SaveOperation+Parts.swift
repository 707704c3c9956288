import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// A save is encoded in the pass that writes its rows. Content that has reached the size of a part
// is moved from the encoder to the table, so that at most one part is in memory.
extension SaveOperation {
    /// The space left in the present part: in bytes, and in values, identities and tags.
    var room: (byteCount: Int, cellCount: Int) {
        (
            max(partLimits.byteCount - encoder.byteCount, 1),
            max(partLimits.cellCount - encoder.cellCount, 1)
        )
    }

    /// The number of rows for which a block reserves capacity.
    func capacity(_ rows: Int) -> Int { min(rows, partLimits.cellCount) }

    /// Ends the present part if it is full.
    mutating func cutIfFull() throws {
        guard encoder.byteCount >= partLimits.byteCount || encoder.cellCount >= partLimits.cellCount
        else { return }
        guard !isUnsynced else {
            encoder = ChangePayloadEncoder(author: replica)
            return
        }
        try cut()
    }

    private mutating func cut() throws {
        let part = try finishPayload(within: Limits.largestPart)
        guard parts.count < Limits.maximumParts else {
            throw StoreError(
                .saveTooLarge,
                "Can't save so much at once because a save has at most "
                    + "\(Limits.maximumParts) parts. Save less at a time.")
        }
        parts.append(try PartTable(connection).keep(part))
        encoder = ChangePayloadEncoder(author: replica)
    }

    /// The log's payload of the save: its whole content, or the list of its parts.
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
        // Some space stays free, because a later renaming may make the content longer.
        guard payload.count < byteLimit - (1 << 20) else {
            throw tooLarge(payload.count, byteLimit)
        }
        return payload
    }

    private func tooLarge(_ byteCount: Int, _ byteLimit: Int) -> StoreError {
        StoreError(
            .saveTooLarge,
            "Can't save \(byteCount) bytes and \(encoder.cellCount) values in one piece because a "
                + "part of a save holds \(byteLimit) bytes and \(Limits.maximumCells) values; save "
                + "smaller values.",
            entity: presentEntity?.name, records: [present])
    }

    /// The error for a record that exceeds the limit of its size.
    ///
    /// - Parameter ids: The records, one of which is too large.
    func recordTooLarge(_ ids: [LocalID], _ error: SQLiteError) -> StoreError {
        let entity = presentEntity?.name
        return StoreError(
            .saveTooLarge,
            "Can't save a record of \(entity ?? "the store") because its values have more than "
                + "\(partLimits.recordBytes) bytes together; make them smaller, or keep them in "
                + "several records.", entity: entity, records: ids, underlying: error)
    }
}
