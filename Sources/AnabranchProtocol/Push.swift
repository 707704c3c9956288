package import AnabranchReplication

/// Sends change sets that the zone lacks, in the order of the client's log.
package struct PushRequest: Message {
    /// The epoch that the client assumes the zone to have.
    package var epoch: EpochID
    /// The encoded change sets, of any replicas.
    package var changeSets: [[UInt8]]

    package init(epoch: EpochID, changeSets: [[UInt8]]) {
        self.epoch = epoch
        self.changeSets = changeSets
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        changeSets = try reader.readChangeSets()
    }

    package var expectedByteCount: Int { 128 + ByteWriter.byteCount(of: changeSets) }

    package func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(changeSets: changeSets)
    }
}
