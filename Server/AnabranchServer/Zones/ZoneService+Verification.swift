public import AnabranchProtocol
public import AnabranchReplication

/// What looking a zone through has found.
public struct ZoneVerification: Hashable, Sendable {
    /// Of the log's last entry.
    public var position: UInt64
    /// What is wrong with the file or the log; where anything is, nothing is put right.
    public var damage: [String] = []
    /// Whether the checksum that is kept is that of the records.
    public var isChecksumRight = true
    /// Records that are not what the log says; `nil` where the log no longer reaches its beginning.
    public var differences: [RecordDifference]? = []
    /// Whether what was wrong was put right.
    public var isRepaired = false

    /// Whether nothing wrong was found.
    public var isRight: Bool {
        damage.isEmpty && isChecksumRight && differences?.isEmpty ?? true
    }
}

extension ZoneService {
    /// Looks the whole zone through: its file, its checksum, and, where the log reaches its
    /// beginning, whether the merged state is what the log says.
    ///
    /// For that the log is merged anew into a file in the temporary directory. Pushes go on
    /// meanwhile. What can be put right is the state: the log is what it is. The log, its
    /// positions and its epoch stay, so clients that took their state from the log notice nothing;
    /// such as took it from a snapshot or a repair of the damaged state verify themselves. The
    /// snapshots go.
    ///
    /// - Parameter isRepairing: Whether records and checksum that are not right are put right, in
    ///   one transaction.
    /// - Throws: `overloaded` where the log grew while it was merged: try again.
    public func verify(
        repairing isRepairing: Bool = false
    ) throws(ProtocolError) -> ZoneVerification {
        try named {
            var found = ZoneVerification(
                position: try storage.read { try $0.logState() }.head.position)
            found.damage = try storage.damage()
            guard found.damage.isEmpty else { return found }
            let rebuilt = try RebuiltZone(disabled: disabled)
            defer { rebuilt.remove() }
            let head = try storage.read { try look(through: $0, rebuilt, &found) }
            guard isRepairing, found.damage.isEmpty, !found.isRight else { return found }
            try storage.write { writer in
                guard try writer.logState().head == head else {
                    throw ProtocolError(
                        .overloaded,
                        "Can't repair zone \(name) because its log grew meanwhile: try again.")
                }
                try rebuilt.put(found.differences ?? [], into: writer)
                try writer.setChecksum(try writer.summed())
            }
            try storage.snapshots.keepNewest(0)
            hashes.forget()
            countsAtHead.forget()
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
        found.differences = nil
        if log.startPosition == 0 {
            do {
                try rebuilt.merge(from: reader)
                found.differences = try rebuilt.differences(from: reader)
            } catch let error as ChangeSetDecodingError {
                found.damage.append("the log can't be read: \(error.cause)")
            } catch let error as ZoneStorageError where error.code == .damaged {
                found.damage.append("the log can't be read: \(error.message)")
            }
        }
        return log.head
    }
}

extension ZoneReading {
    /// The checksum of the records as they are; one that can't be read counts as none.
    func summed() throws -> StateChecksum {
        var sum = StateChecksum.zero
        try forEachChecksum(in: .all) { sum = sum &+ $0.checksum }
        return sum
    }

    func forEachChecksum(
        in range: RecordRange, _ body: (RangeSummary.Entry) throws -> Void
    ) throws {
        try forEachRecord(in: range) { id, record in
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
        } catch let error as ZoneStorageError where error.code == .damaged {
            return StateChecksum(ofRow: [])
        }
    }

    /// The first records of a range.
    func checksums(
        in range: RecordRange, limit: Int
    ) throws -> [RangeSummary.Entry] {
        var entries: [RangeSummary.Entry] = []
        try forEachRecord(in: range) { id, record in
            entries.append(.init(record: id, checksum: try Self.checksum(record)))
            return entries.count < limit
        }
        return entries
    }
}
