import AnabranchReplication

/// When a part of a save is full.
///
/// A part is encoded, sent, kept and decoded whole, so this bounds the memory that both ends need
/// for a save of any size, but for a row that is larger by itself.
package struct PartLimits: Hashable, Sendable {
    /// Of the encoded part.
    package var byteCount = 8 << 20
    /// Values, identities and tags: a column of nulls takes no bytes, and a value of a few bytes
    /// takes many in memory.
    package var cellCount = 1 << 20
    /// Of the values of one record, which is in one part.
    package var recordBytes = Limits.largestRecord

    package init() {}
}
