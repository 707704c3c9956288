public import AnabranchReplication

/// Sends change sets that the zone lacks, in the order of the client's log.
public struct PushRequest: Message {
    /// The title for error messages.
    public static let title = "push request"

    /// The epoch that the client assumes the zone to have.
    public var epoch: EpochID
    /// The encoded change sets, of any replicas.
    public var changeSets: [[UInt8]]

    /// Creates a request.
    public init(epoch: EpochID, changeSets: [[UInt8]]) {
        self.epoch = epoch
        self.changeSets = changeSets
    }

    /// Reads the fields of the request.
    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        changeSets = try reader.readChangeSets()
    }

    /// About the number of bytes of the request.
    public var expectedByteCount: Int { 128 + ByteWriter.byteCount(of: changeSets) }

    /// Writes the fields of the request.
    public func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(changeSets: changeSets)
    }
}
