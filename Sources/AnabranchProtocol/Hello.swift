package import AnabranchReplication

/// The first message of a client: its identity, its last change set and its cursor.
package struct HelloRequest: Message {
    package var replica: ReplicaID
    /// The last change set that the client saved under its replica ID, or `nil` before the first.
    package var last: Head?
    /// The client's cursor in the zone's log, or `nil` before its first pull.
    package var cursor: LogCursor?
    /// The client's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64

    /// The last change set of a replica, with the origin that identifies its history.
    package struct Head: Hashable, Sendable {
        /// The sequence number of the change set.
        package var sequence: UInt64
        /// The origin of the change set.
        package var origin: Digest

        package init(sequence: UInt64, origin: Digest) {
            self.sequence = sequence
            self.origin = origin
        }
    }

    package init(replica: ReplicaID, last: Head?, cursor: LogCursor?, wallMilliseconds: Int64) {
        self.replica = replica
        self.last = last
        self.cursor = cursor
        self.wallMilliseconds = wallMilliseconds
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        replica = try reader.readReplica()
        last = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            let sequence = try reader.readSequence()
            return Head(sequence: sequence, origin: try reader.readDigest())
        }
        cursor = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readCursor()
        }
        wallMilliseconds = try reader.readMilliseconds()
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(replica: replica)
        writer.append(last) { writer, head in
            writer.append(varint: head.sequence)
            writer.append(digest: head.origin)
        }
        writer.append(cursor) { $0.append(cursor: $1) }
        writer.append(milliseconds: wallMilliseconds)
    }
}

/// The zone's answer: its log, and the last change set that it holds of the client.
package struct HelloResponse: Message {
    /// The present epoch of the log.
    package var epoch: EpochID
    /// The epochs before the present one, oldest first. A client that followed one of them may
    /// continue with this log, even if the log was restored to an earlier position.
    package var earlierEpochs: [EpochID]
    /// The position of the log's last entry, or zero if the log is empty.
    package var headPosition: UInt64
    /// The position of the last entry that the log has compacted to its name, or zero if there is
    /// none. A client with a cursor before this position takes a snapshot.
    package var startPosition: UInt64
    /// Indicates whether a snapshot is less work than the log for a client without a cursor.
    package var isSnapshotAdvised: Bool
    /// Indicates whether the client's cursor is in this log. It is also `true` if the client sent
    /// none.
    package var isCursorKnown: Bool
    /// The highest sequence number that the zone holds of the client's replica, or zero for none.
    package var lastSequence: UInt64
    /// The origin that the zone holds under the lesser of two sequence numbers: the last one that
    /// the client sent, and ``lastSequence``. If the client sent none, ``lastSequence`` counts.
    ///
    /// It is `nil` if the zone holds nothing of the replica. The history forked if the client has
    /// another origin under that same number.
    package var origin: Digest?
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// The greatest length of a request's body after decompression, in bytes.
    package var largestBody: UInt64
    /// The quotas of the zone and what is used of them; empty if there are none, or if the server
    /// is of an earlier version.
    package var quotas: [QuotaUse]

    package init(
        epoch: EpochID, earlierEpochs: [EpochID] = [], headPosition: UInt64,
        startPosition: UInt64 = 0, isSnapshotAdvised: Bool = false, isCursorKnown: Bool,
        lastSequence: UInt64,
        origin: Digest?, wallMilliseconds: Int64, largestBody: UInt64,
        quotas: [QuotaUse] = []
    ) {
        self.epoch = epoch
        self.earlierEpochs = earlierEpochs
        self.headPosition = headPosition
        self.startPosition = startPosition
        self.isSnapshotAdvised = isSnapshotAdvised
        self.isCursorKnown = isCursorKnown
        self.lastSequence = lastSequence
        self.origin = origin
        self.wallMilliseconds = wallMilliseconds
        self.largestBody = largestBody
        self.quotas = quotas
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        earlierEpochs = []
        for _ in 0..<(try reader.readCount(ofAtLeast: EpochID.byteCount)) {
            earlierEpochs.append(try reader.readReplica())
        }
        headPosition = try reader.readQuantity()
        startPosition = try reader.readQuantity()
        isSnapshotAdvised = try reader.readFlag()
        isCursorKnown = try reader.readFlag()
        lastSequence = try reader.readQuantity()
        origin = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readDigest()
        }
        wallMilliseconds = try reader.readMilliseconds()
        largestBody = try reader.readQuantity()
        quotas = []
        // An earlier server ends here.
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let name = try reader.readName()
            var field = try reader.readNested()
            guard name == Self.quotaField else {
                // A field of a later server. Its bytes were passed over.
                continue
            }
            while !field.isAtEnd { quotas.append(try QuotaUse(from: &field)) }
        }
    }

    private static let quotaField = "quotas"

    package func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(count: earlierEpochs.count)
        for epoch in earlierEpochs { writer.append(replica: epoch) }
        writer.append(varint: headPosition)
        writer.append(varint: startPosition)
        writer.append(byte: isSnapshotAdvised ? 1 : 0)
        writer.append(byte: isCursorKnown ? 1 : 0)
        writer.append(varint: lastSequence)
        writer.append(origin) { $0.append(digest: $1) }
        writer.append(milliseconds: wallMilliseconds)
        writer.append(varint: largestBody)
        guard !quotas.isEmpty else { return }
        var field = ByteWriter()
        for quota in quotas { quota.write(to: &field) }
        writer.append(count: 1)
        writer.append(string: Self.quotaField)
        writer.append(block: field)
    }
}
