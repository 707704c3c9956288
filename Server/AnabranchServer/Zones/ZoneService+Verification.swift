public import AnabranchProtocol
public import AnabranchReplication

/// The result of verifying a zone.
public struct ZoneVerification: Hashable, Sendable {
    /// The position of the log's last entry; 0 if the file is damaged.
    public var position: UInt64
    /// Damage of the file or the log; if there is any, nothing is repaired.
    public var damage: [String] = []
    /// True if the stored checksum is that of the records.
    public var isChecksumRight = true
    /// True if the counters of the zone's quotas are those of its rows.
    public var isUseRight = true
    /// Records that differ from the log; `nil` if the log no longer reaches its beginning.
    public var differences: [RecordDifference]? = []
    /// True if the differences were repaired.
    public var isRepaired = false

    /// True if no damage and no difference was found.
    public var isValid: Bool {
        damage.isEmpty && isChecksumRight && isUseRight && differences?.isEmpty ?? true
    }
}

extension ZoneService {
    /// Verifies the whole zone: its file, its checksum, the counters of its quotas, and its merged
    /// state against the log.
    ///
    /// The state is compared only if the log reaches its beginning. The log is then merged again
    /// into a file in the temporary directory, while pushes continue. A repair changes only the
    /// state, never the log, its positions or its epoch. Clients that received their state from the
    /// log are not affected. Clients that received damaged state from a snapshot or a repair find
    /// it by their own verification. A repair removes the snapshots.
    ///
    /// - Parameter isRepairing: True to repair records, checksum and counters, in one transaction.
    ///
    /// - Throws: `overloaded` if the log grew during a repair: try again.
    public func verify(
        repairing isRepairing: Bool = false
    ) throws(ProtocolError) -> ZoneVerification {
        try named {
            var found = ZoneVerification(position: 0, damage: try storage.damage())
            guard found.damage.isEmpty else { return found }
            let rebuilt = try RebuiltZone()
            defer { rebuilt.remove() }
            let head = try storage.read { try look(through: $0, rebuilt, &found) }
            guard isRepairing, found.damage.isEmpty, !found.isValid else { return found }
            try transactions.write { writer in
                guard writer.logState().head == head else {
                    throw ProtocolError(
                        .overloaded,
                        "Can't repair zone \(name) because its log grew meanwhile: try again.")
                }
                try rebuilt.put(found.differences ?? [], into: writer)
                writer.setChecksum(try writer.sent().summed())
                writer.setUse(try writer.sent().counts())
            }
            try storage.snapshots.keepNewest(0)
            hashes.forget()
            linkCountAtHead.forget()
            found.isRepaired = true
            return found
        }
    }

    private func look(
        through reader: any ZoneReading, _ rebuilt: RebuiltZone, _ found: inout ZoneVerification
    ) throws -> LogCursor {
        let log = try reader.logState()
        found.position = log.head.position
        found.isChecksumRight = try reader.checksum() == reader.summed()
        let (use, counts) = (try reader.use(), try reader.counts())
        found.isUseRight = use.bytes == counts.bytes && use.records == counts.records
        found.differences = nil
        if log.startPosition == 0 {
            do {
                try rebuilt.merge(from: reader)
                found.differences = try rebuilt.differences(from: reader)
            } catch let error as ChangeSetDecodingError {
                found.damage = [reader.damaged("its log is damaged").message, error.cause]
            } catch let error as StorageError where error.code == .damaged {
                found.damage = [reader.damaged("its log is damaged").message, error.message]
            }
        }
        return log.head
    }
}

extension ZoneReading {
    /// The checksum of the records as they are; an unreadable record counts as empty.
    func summed() throws -> StateChecksum {
        var sum = StateChecksum.zero
        try forEachChecksum(in: .all) { sum = sum &+ $0.checksum }
        return sum
    }

    func forEachChecksum(
        in range: RecordRange, _ body: (RangeSummary.Entry) throws -> Void
    ) throws {
        try forEachRecord(in: range, reserving: { _, _ in }) { id, record in
            try body(.init(record: id, checksum: try Self.checksum(record)))
            return true
        }
    }

    private static func checksum(
        _ record: () throws -> CanonicalRecord
    ) throws -> StateChecksum {
        do {
            return StateChecksum(of: try record())
        } catch is ChangeSetDecodingError {
            return StateChecksum(ofRow: [])
        } catch let error as StorageError where error.code == .damaged {
            return StateChecksum(ofRow: [])
        }
    }

    /// The checksums of the first records of a range.
    func checksums(
        in range: RecordRange, limit: Int
    ) throws -> [RangeSummary.Entry] {
        var entries: [RangeSummary.Entry] = []
        try forEachRecord(in: range, reserving: { _, _ in }) { id, record in
            entries.append(.init(record: id, checksum: try Self.checksum(record)))
            return entries.count < limit
        }
        return entries
    }
}
