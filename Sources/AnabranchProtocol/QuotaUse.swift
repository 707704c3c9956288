internal import AnabranchReplication

/// A quota of a zone and what is used of it.
public struct QuotaUse: Hashable, Sendable {
    /// The limited quantity: `bytes`, `records`, `replicas`, `daily-bytes`, or one of a later
    /// server.
    public var name: String
    /// The greatest amount.
    public var limit: UInt64
    /// The used amount. It is above the limit if the limit was lowered.
    public var used: UInt64

    /// Creates the use of a quota.
    public init(name: String, limit: UInt64, used: UInt64) {
        self.name = name
        self.limit = limit
        self.used = used
    }

    init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        name = try reader.readName()
        limit = try reader.readVarint()
        used = try reader.readVarint()
    }

    func write(to writer: inout ByteWriter) {
        writer.append(string: name)
        writer.append(varint: limit)
        writer.append(varint: used)
    }
}
