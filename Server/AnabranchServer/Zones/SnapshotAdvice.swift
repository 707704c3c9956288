import AnabranchReplication

/// Decides whether a snapshot is less work than the log for a client that holds nothing of it.
///
/// The works are estimated by records and bytes. Every record of the state was inserted by the log,
/// so the log writes at least as many records. It has as many times more as it has more bytes than
/// the state.
struct SnapshotAdvice {
    /// The number of entries of the log.
    let entries: UInt64
    /// The bytes of the log's change sets, with the parts of saves.
    let logBytes: Int64
    /// The number of records that are not dead.
    let records: Int64
    /// The bytes of the values, tags and links of the merged state.
    let stateBytes: Int64

    /// The milliseconds that a client needs to apply the log.
    var logMilliseconds: Double {
        let repetitions = max(1, Double(logBytes) / Double(max(stateBytes, 1)))
        let records = Double(records) * repetitions
        return Double(entries) * Self.entryMilliseconds
            + records * Self.loggedRecordMilliseconds + Double(logBytes) * Self.byteMilliseconds
    }

    /// The milliseconds in which the snapshot is written, sent and loaded, without what every
    /// snapshot costs.
    var snapshotMilliseconds: Double {
        Double(records) * Self.loadedRecordMilliseconds
            + Double(stateBytes) * 2 * Self.byteMilliseconds
    }

    /// True if a snapshot is less work.
    ///
    /// - Parameter limits: The work that every snapshot costs, and the number of entries from which
    ///   a snapshot is always advised.
    func isAdvised(_ limits: ZoneLimits) -> Bool {
        entries >= limits.snapshotDistance
            || logMilliseconds > snapshotMilliseconds + Double(limits.snapshotMilliseconds)
    }

    // Measured with a million records of five attributes in a hundred change sets: 17 s by the log
    // and 6.4 s by a snapshot. Saves of one object each take 25 µs an entry.
    private static let entryMilliseconds = 0.025
    private static let loggedRecordMilliseconds = 0.017
    private static let loadedRecordMilliseconds = 0.006_4
    private static let byteMilliseconds = 0.000_01
}

extension ZoneReading {
    /// The sizes of log and state, for the advice to a client without a cursor.
    ///
    /// The log is read for it, without its change sets, unless it has too many entries anyway.
    func snapshotAdvice(_ log: LogState, _ limits: ZoneLimits) throws -> SnapshotAdvice {
        let entries = log.head.position
        let logBytes = entries < limits.snapshotDistance ? try logByteCount() : 0
        let use = try use()
        return SnapshotAdvice(
            entries: entries, logBytes: logBytes, records: use.records,
            stateBytes: max(0, use.bytes - logBytes - Int64(try staged().byteCount)))
    }
}
