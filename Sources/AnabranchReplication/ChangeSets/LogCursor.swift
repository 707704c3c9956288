/// The position in a zone's log up to which a client has pulled, and the identity of that log.
///
/// The running digest covers every entry up to the position. A server that has another log
/// before the position does not know the cursor, and answers so (invariant 6).
package struct LogCursor: Hashable, Sendable {
    package let epoch: EpochID
    /// The position of the last pulled entry, below 2^53. Zero means that none was pulled.
    package let position: UInt64
    /// The first eight bytes of the running digest at the position, as a big-endian number.
    package let digestHigh: UInt64
    /// The next eight bytes of the running digest, as a big-endian number.
    package let digestLow: UInt64

    /// Creates the cursor before the first entry of an epoch.
    package init(startOf epoch: EpochID) {
        self.init(epoch: epoch, position: 0, digestHigh: 0, digestLow: 0)
    }

    package init(epoch: EpochID, position: UInt64, digestHigh: UInt64, digestLow: UInt64) {
        self.epoch = epoch
        self.position = position
        self.digestHigh = digestHigh
        self.digestLow = digestLow
    }

    package init(epoch: EpochID, position: UInt64, running: ReplicaID) {
        self.init(
            epoch: epoch, position: position, digestHigh: running.high, digestLow: running.low)
    }

    /// The kept bytes of the running digest, which have the form of a replica ID.
    package var running: ReplicaID { ReplicaID(high: digestHigh, low: digestLow) }

    /// Returns the cursor after one more entry of the log.
    ///
    /// The digest follows this rule: running digest n = H(first 16 bytes of running digest n−1 ‖
    /// kind ‖ dot ‖ digest ‖ origin).
    package func advanced(over changeSet: ChangeSet) -> LogCursor {
        advanced(
            kind: changeSet.kind, dot: changeSet.dot, digest: changeSet.digest,
            origin: changeSet.origin)
    }

    /// Returns the cursor after one more entry, which is given by the fields that the digest
    /// covers.
    package func advanced(
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
    /// Appends the epoch, the position as a varint, and 16 bytes of running digest.
    package mutating func append(cursor: LogCursor) {
        append(replica: cursor.epoch)
        append(varint: cursor.position)
        append(bigEndian64: cursor.digestHigh)
        append(bigEndian64: cursor.digestLow)
    }
}

extension ByteReader {
    /// Reads a cursor that `append(cursor:)` wrote.
    ///
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read.
    package mutating func readCursor() throws(ChangeSetDecodingError) -> LogCursor {
        let epoch = try readReplica()
        let position = try readQuantity()
        let high = try readBigEndian64()
        return LogCursor(
            epoch: epoch, position: position, digestHigh: high, digestLow: try readBigEndian64())
    }
}

extension LogCursor: CustomStringConvertible {
    /// The epoch and the position, separated by a colon.
    package var description: String { "\(epoch):\(position)" }
}
