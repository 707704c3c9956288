/// How far a client has taken in a zone's log, and which log that was.
///
/// The running digest covers every entry up to the position, so a server whose log differs
/// anywhere before it does not know the cursor and says so (invariant 6).
public struct LogCursor: Hashable, Sendable {
    public let epoch: EpochID
    /// Of the last entry that was taken in, below 2^53; zero before the first.
    public let position: UInt64
    /// The first 16 bytes of the running digest at the position, as two big-endian numbers.
    public let digestHigh: UInt64
    public let digestLow: UInt64

    /// The cursor before the first entry of an epoch.
    public init(startOf epoch: EpochID) {
        self.init(epoch: epoch, position: 0, digestHigh: 0, digestLow: 0)
    }

    public init(epoch: EpochID, position: UInt64, digestHigh: UInt64, digestLow: UInt64) {
        self.epoch = epoch
        self.position = position
        self.digestHigh = digestHigh
        self.digestLow = digestLow
    }

    /// The cursor behind one more entry.
    ///
    /// Running digest n = H(first 16 bytes of running digest n−1 ‖ kind ‖ dot ‖ digest ‖ origin).
    public func advanced(over changeSet: ChangeSet) -> LogCursor {
        advanced(
            kind: changeSet.kind, dot: changeSet.dot, digest: changeSet.digest,
            origin: changeSet.origin)
    }

    public func advanced(
        kind: LogEntryKind, dot: Dot, digest: Digest, origin: Digest
    ) -> LogCursor {
        var entry = ByteWriter(reservingCapacity: 128)
        entry.append(bigEndian64: digestHigh)
        entry.append(bigEndian64: digestLow)
        entry.append(byte: kind.rawValue)
        entry.append(dot: dot)
        entry.append(digest: digest)
        entry.append(digest: origin)
        let running = Digest(of: entry.bytes).bytes
        return LogCursor(
            epoch: epoch, position: position + 1,
            digestHigh: running[0..<8].bigEndianNumber, digestLow: running[8..<16].bigEndianNumber)
    }
}

extension ByteWriter {
    public mutating func append(cursor: LogCursor) {
        append(replica: cursor.epoch)
        append(varint: cursor.position)
        append(bigEndian64: cursor.digestHigh)
        append(bigEndian64: cursor.digestLow)
    }
}

extension ByteReader {
    public mutating func readCursor() throws(ChangeSetDecodingError) -> LogCursor {
        let epoch = try readReplica()
        let position = try readQuantity()
        let high = try readBigEndian64()
        return LogCursor(
            epoch: epoch, position: position, digestHigh: high, digestLow: try readBigEndian64())
    }
}

extension LogCursor: CustomStringConvertible {
    public var description: String { "\(epoch):\(position)" }
}
