public import AnabranchReplication

/// Asks what the zone has of some records: the one primitive behind every correction.
public struct RepairRequest: Message {
    public static let title = "repair request"

    /// The epoch that the client believes the zone to be in.
    public var epoch: EpochID
    public var records: [RecordID]

    public init(epoch: EpochID, records: [RecordID]) {
        self.epoch = epoch
        self.records = records
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        let count = try reader.readCount(ofAtLeast: RepairRequest.leastRecordBytes)
        records = []
        records.reserveCapacity(count)
        for _ in 0..<count { records.append(try reader.readRecord()) }
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(count: records.count)
        for record in records { writer.append(record: record) }
    }

    /// A replica and the shortest number.
    private static let leastRecordBytes = ReplicaID.byteCount + 1
}

/// What the zone's merged state is of the first of the records that were asked for.
public struct RepairResponse: Message {
    public static let title = "repair response"

    /// Of the log's last entry when the answer was made: the images know of every entry up to it
    /// and of none behind it.
    public var position: UInt64
    /// The server's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64
    /// At least one where one was asked for; ask again for those that are missing.
    public var images: [RecordImage]

    public init(position: UInt64, wallMilliseconds: Int64, images: [RecordImage]) {
        self.position = position
        self.wallMilliseconds = wallMilliseconds
        self.images = images
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        images = []
        // A record's identity and a flag.
        for _ in 0..<(try reader.readCount(ofAtLeast: ReplicaID.byteCount + 2)) {
            images.append(try reader.readImage())
        }
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(varint: position)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(count: images.count)
        for image in images { writer.append(image: image) }
    }
}
