import AnabranchReplication

/// Copies a zone from one storage to another, also between back ends.
///
/// The copy has the log, the merged state and the epochs of the zone at one moment, while pushes
/// continue. A copy that was made before gets only what is new: its log is continued and merged as
/// if it had been pushed. The stored checksum of the merged state shows that both have one state.
struct ZoneCopier {
    enum Outcome: Hashable, Sendable {
        /// The copy had everything.
        case unchanged
        /// The copy has got this number of entries of the log.
        case continued(UInt64)
        /// The zone was copied as a whole.
        case whole
    }

    let source: any ZoneStorage
    let target: any ZoneStorage
    let recordBytes: Int

    /// Copies what the target lacks, in one transaction.
    ///
    /// - Parameters:
    ///   - isReplaced: True if a target that is no earlier copy is replaced; otherwise it is an
    ///     error.
    ///   - epoch: An epoch that the target begins afterwards; `nil` if it continues the log.
    func copy(replacing isReplaced: Bool, beginning epoch: EpochID? = nil) throws -> Outcome {
        try source.read { reader in
            try target.write { writer in
                let log = try reader.logState()
                let held = writer.logState()
                try copyQuotas(reader, writer)
                guard held.head != log.head || held.startPosition != log.startPosition else {
                    if let epoch { writer.beginEpoch(epoch) }
                    return .unchanged
                }
                let outcome =
                    try isEarlier(held, than: log, reader)
                    ? try continueLog(from: held, to: log, reader, writer)
                    : try copyWhole(log, held, reader, writer, isReplaced: isReplaced)
                try check(writer, against: reader)
                if let epoch { writer.beginEpoch(epoch) }
                return outcome
            }
        }
    }

    /// Copies the quotas and the bytes of the day; the other counters follow from the rows.
    private func copyQuotas(_ reader: any ZoneReading, _ writer: ZoneDraft) throws {
        let quotas = try reader.quotas()
        if writer.quotas() != quotas { writer.setQuotas(quotas) }
        let use = try reader.use()
        let held = writer.use()
        guard held.day != use.day || held.dayBytes != use.dayBytes else { return }
        writer.setPushed(use.dayBytes, on: use.day)
    }

    /// True if a copy has the beginning of the log, and the log has all that follows.
    private func isEarlier(
        _ held: LogState, than log: LogState, _ reader: any ZoneReading
    ) throws -> Bool {
        let epochs = held.history.epochs
        guard log.history.epochs.starts(with: epochs), held.head.position > 0,
            held.head.position >= log.startPosition, held.head.position <= log.head.position,
            log.history.epochs.dropFirst(epochs.count)
                .allSatisfy({ $0.forkPosition >= held.head.position }),
            let cursor = try reader.cursor(at: held.head.position)
        else { return false }
        return cursor.digestHigh == held.head.digestHigh
            && cursor.digestLow == held.head.digestLow
    }

    private static let pageBytes = 8 << 20

    private func continueLog(
        from held: LogState, to log: LogState, _ reader: any ZoneReading,
        _ writer: ZoneDraft
    ) throws -> Outcome {
        var cursor = held.head
        while cursor.position < log.head.position {
            let page = try reader.changeSets(
                after: cursor.position, byteLimit: Self.pageBytes)
            guard !page.changeSets.isEmpty else { throw damaged("its log has a gap") }
            for bytes in page.changeSets {
                let changeSet = try ChangeSet(decoding: bytes)
                cursor = cursor.advanced(over: changeSet)
                try append(changeSet, bytes, at: cursor, reader, writer)
            }
        }
        try writer.forgetChangeSets(through: log.startPosition)
        writer.acknowledge(try reader.acknowledgements())
        writer.setLog(log)
        return .continued(log.head.position - held.head.position)
    }

    private func append(
        _ changeSet: ChangeSet, _ bytes: [UInt8], at cursor: LogCursor,
        _ reader: any ZoneReading, _ writer: ZoneDraft
    ) throws {
        let parts = try changeSet.parts()
        for part in parts where try writer.stored.heldBytes(of: part) < part.byteCount {
            var start = 0
            try reader.forEachPiece(of: part) { piece in
                try writer.append(piece, to: part, at: start, wallMilliseconds: 0)
                start += piece.count
            }
        }
        try writer.append(ZoneLogEntry(changeSet: changeSet, bytes: bytes, cursor: cursor))
        try writer.putInLog(parts, at: cursor.position)
        guard changeSet.kind.isSave else { return }
        _ = try StateMerger.merge(
            changeSet, ZoneParts(writer.stored), into: writer,
            recordBytes: recordBytes)
    }

    private func copyWhole(
        _ log: LogState, _ held: LogState, _ reader: any ZoneReading, _ writer: ZoneDraft,
        isReplaced: Bool
    ) throws -> Outcome {
        guard isReplaced || held.head.position == 0 else {
            throw StorageError(
                .notACopy,
                "Can't copy over a zone that has a log of its own: remove it first, or copy to "
                    + "another place.")
        }
        try writer.removeAll()
        try reader.forEachRows { try writer.insert($0) }
        writer.setLog(log)
        writer.setChecksum(try reader.checksum())
        return .whole
    }

    private func check(
        _ writer: ZoneDraft, against reader: any ZoneReading
    ) throws {
        guard try reader.logState().head == writer.logState().head,
            try reader.checksum() == writer.checksum()
        else { throw damaged("its log does not lead to its state") }
    }

    private func damaged(_ cause: String) -> StorageError {
        StorageError(.damaged, "Can't copy the zone because \(cause): verify it.")
    }
}
