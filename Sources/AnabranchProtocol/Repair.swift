package import AnabranchReplication

/// Asks for the zone's state of some records. A client sends it for the records that wait for
/// repair in its store.
package struct RepairRequest: Message {
    /// The epoch that the client assumes the zone to have.
    package var epoch: EpochID
    /// The requested records, at most ``SyncProtocol/maximumRepairs``.
    package var records: [RecordID]

    package init(epoch: EpochID, records: [RecordID]) {
        self.epoch = epoch
        self.records = records
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        let count = try reader.readCount(ofAtLeast: RepairRequest.leastRecordBytes)
        records = []
        records.reserveCapacity(count)
        for _ in 0..<count { records.append(try reader.readRecord()) }
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(count: records.count)
        for record in records { writer.append(record: record) }
    }

    /// The length of the shortest identity: a replica and a number of one byte.
    private static let leastRecordBytes = ReplicaID.byteCount + 1
}

/// The zone's merged state of the requested records, from the first one up to the last one that
/// fits into the response.
package struct RepairResponse: Message {
    /// The position of the log's last entry at the time of the answer. The images include every
    /// entry up to this position and none after it.
    package var position: UInt64
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// The states of the first records, in the order of the request. There is at least one if a
    /// record was requested; ask again for the missing ones.
    package var images: [RecordImage]

    package init(position: UInt64, wallMilliseconds: Int64, images: [RecordImage]) {
        self.position = position
        self.wallMilliseconds = wallMilliseconds
        self.images = images
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        images = []
        // An image has at least a record's identity and a flag.
        for _ in 0..<(try reader.readCount(ofAtLeast: ReplicaID.byteCount + 2)) {
            images.append(try reader.readImage())
        }
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(varint: position)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(count: images.count)
        for image in images { writer.append(image: image) }
    }
}
