import AnabranchReplication

/// The row of a zone: the state of its log, its checksum, its next numbers and its counters.
package struct ZoneRow: Hashable, Sendable {
    /// The identity of the database's history at the last write; empty in a file.
    var history = ""
    var epochs: EpochHistory
    /// The position of the log's last entry, and the running digest there.
    var position: UInt64 = 0
    var running = ReplicaID(high: 0, low: 0)
    var greatestTimestamp: UInt64 = 0
    var startPosition: UInt64 = 0
    var checksum = StateChecksum.zero
    var next = NextNumbers()
    /// The used bytes and records (`ZoneQuotas`).
    var bytes: Int64 = 0
    var records: Int64 = 0
    /// The last day of a push, in days since 1970-01-01 UTC, and the bytes that were pushed on it.
    var day: Int64 = 0
    var dayBytes: Int64 = 0
    var quotas = ZoneQuotas()

    var use: ZoneUse {
        ZoneUse(
            bytes: bytes, records: records, replicas: next.replica, day: day, dayBytes: dayBytes)
    }

    mutating func count(bytes: Int64, records: Int64 = 0) {
        self.bytes += bytes
        self.records += records
    }

    var head: LogCursor {
        LogCursor(
            epoch: epochs.present, position: position, digestHigh: running.high,
            digestLow: running.low)
    }

    var logState: LogState {
        LogState(
            head: head, history: epochs,
            greatestTimestamp: HybridTimestamp(rawValue: greatestTimestamp),
            startPosition: startPosition)
    }

    /// Forgets everything but the epochs, the quotas and the bytes of the day.
    mutating func clear() {
        let kept = self
        self = ZoneRow(history: history, epochs: epochs)
        day = kept.day
        dayBytes = kept.dayBytes
        quotas = kept.quotas
    }

    /// Begins an epoch at the log's end, because the database has another history than before.
    mutating func begin(_ epoch: EpochID, in history: String) {
        let begun = EpochHistory.Epoch(id: epoch, forkPosition: position)
        epochs = EpochHistory(epochs.epochs + [begun]) ?? epochs
        self.history = history
    }
}

/// The next ordinal of a replica, and the next numbers of an entity and of a property.
struct NextNumbers: Hashable, Sendable {
    var replica: Int64 = 0
    var entity: Int64 = 0
    var property: Int64 = 0
}
