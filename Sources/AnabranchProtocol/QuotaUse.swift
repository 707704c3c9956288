internal import AnabranchReplication

/// A quota of a zone and what is used of it.
package struct QuotaUse: Hashable, Sendable {
    /// The limited quantity: `bytes`, `records`, `replicas`, `daily-bytes`, or one of a later
    /// server.
    package var name: String
    package var limit: UInt64
    /// The used amount. It is above the limit if the limit was lowered.
    package var used: UInt64

    package init(name: String, limit: UInt64, used: UInt64) {
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
