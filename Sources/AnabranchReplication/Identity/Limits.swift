/// What a store can hold, so that nobody can send what another could not.
///
/// Codec, store and server refuse numbers outside these bounds.
public enum Limits {
    /// 2^40 − 1: a record number shares one 64-bit row ID with its replica's ordinal.
    public static let greatestRecordNumber: UInt64 = (1 << 40) - 1
    /// 2^53 − 1, also of positions in a log: exact in a double, for JSON and JavaScript.
    public static let greatestSequence: UInt64 = (1 << 53) - 1
    /// 2^63 − 1: a timestamp is stored as one signed SQLite integer.
    public static let greatestTimestamp: UInt64 = (1 << 63) - 1
    /// 2^22 − 1 replicas a zone, what the row ID leaves beside the record number.
    public static let greatestReplicaOrdinal: UInt64 = (1 << 22) - 1
    /// Bytes of UTF-8 in an author, a transaction name, an entity's or a property's name.
    public static let longestName = 1024
    /// Bytes of one encoded change set.
    public static let largestChangeSet = 256 << 20
    /// Bytes of the values of one record, as a save leaves it, and so of one value.
    ///
    /// The three limits of a record follow from SQLite's, 1,000,000,000 bytes in a row, and stand
    /// in such an order that what one side has taken the next one can: a save leaves at most this
    /// much, a zone's record has at most ``largestPart``, also where saves that did not know of
    /// each other have met, and a store takes whatever SQLite holds.
    public static let largestRecord = 880 << 20
    /// Bytes of one part of a save in parts: a save is cut between records only, so there is one
    /// record in it and what was written before that, of ordinary size.
    public static let largestPart = 900 << 20
    /// Parts of one save.
    public static let mostParts = 1 << 16
    /// Values, record identities, tags and members of groups of one change set: a column of nulls
    /// takes no bytes, so bytes alone do not bound memory.
    public static let mostCells = 1 << 24
    /// Names, and properties, that one change set may mention.
    public static let mostNames = 1 << 16
    /// Members of one group.
    public static let mostMembers = 1 << 10
    /// Bytes of one position in a list.
    public static let longestPosition = 16 << 10
    /// Blocks of one change set.
    public static let mostBlocks = 1 << 20
    /// Entries of one explicit causal vector: as many as a zone has replicas.
    public static let longestContextVector = Int(greatestReplicaOrdinal)
}
