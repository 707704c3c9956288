/// The greatest numbers and sizes that a store can hold.
///
/// Codec, store and server refuse everything beyond these limits, so no replica can send what
/// another one can't hold.
package enum Limits {
    /// The greatest record number, 2^40 − 1. It shares a 64-bit row ID with the ordinal of its
    /// replica.
    package static let greatestRecordNumber: UInt64 = (1 << 40) - 1
    /// The greatest sequence number and log position, 2^53 − 1. A double represents it exactly, as
    /// JSON and JavaScript need.
    package static let greatestSequence: UInt64 = (1 << 53) - 1
    /// The greatest timestamp, 2^63 − 1. A store keeps it as a signed SQLite integer.
    package static let greatestTimestamp: UInt64 = (1 << 63) - 1
    /// The greatest ordinal of a replica, 2^22 − 1: the bits that the row ID leaves beside the
    /// record number. It limits the replicas of a zone.
    package static let greatestReplicaOrdinal: UInt64 = (1 << 22) - 1
    /// The greatest length of an author, a transaction name, an entity name or a property name, in
    /// bytes of UTF-8.
    package static let longestName = 1024
    /// The greatest length of an encoded change set, in bytes.
    package static let largestChangeSet = 256 << 20
    /// The greatest size of the values of one record after a save, and so of one value, in bytes.
    ///
    /// SQLite allows 1,000,000,000 bytes in a row, and the three limits of a record keep a distance
    /// from it. A save leaves at most this much in a record. A record in a zone has at most
    /// ``largestPart``, even when concurrent saves have enlarged it. A store accepts everything
    /// that SQLite can hold. So the next one can always take what the previous one accepted.
    package static let largestRecord = 880 << 20
    /// The greatest size of one part of a save in parts, in bytes. A save is cut only between
    /// records, so a part contains at most one large record after other values of ordinary size.
    package static let largestPart = 900 << 20
    /// The greatest number of parts of one save.
    package static let maximumParts = 1 << 16
    /// The greatest number of values, record identities, tags and group members in one change set.
    /// A column of nulls needs no bytes, so a limit on bytes does not limit the work.
    package static let maximumCells = 1 << 24
    /// The greatest number of values, record identities, tags and group members in one block,
    /// without nulls: twice as many as a store puts into one part of a save. A reader has one block
    /// in memory at a time, so this limits its memory.
    package static let maximumBlockCells = 1 << 21
    /// The greatest number of names, and of properties, in one change set.
    package static let maximumNames = 1 << 16
    /// The greatest number of members of one attribute group.
    package static let maximumMembers = 1 << 10
    /// The greatest length of a position in a list, in bytes.
    package static let longestPosition = 16 << 10
    /// The greatest number of blocks in one change set.
    package static let maximumBlocks = 1 << 20
    /// The greatest number of entries of a causal context: as many as a zone may have replicas.
    package static let longestContextVector = Int(greatestReplicaOrdinal)
}
