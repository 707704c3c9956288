package import AnabranchReplication

extension BundleHeader {
    /// Returns a whole bundle without change sets, with any creation time.
    package static func bytesOfBundle(from sender: ReplicaID, at milliseconds: Int64) -> [UInt8] {
        var header = ByteWriter()
        header.append(replica: sender)
        header.append(signed: milliseconds)
        header.append(context: .empty)
        var writer = ByteWriter()
        writer.append(raw: magic)
        writer.append(byte: version)
        writer.append(block: header.bytes)
        writer.append(byte: 0)
        writer.append(count: 0)
        return writer.bytes + Digest(of: writer.bytes).bytes
    }
}
