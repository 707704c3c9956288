import AnabranchReplication

/// The limits at which a part of a save is full.
///
/// A part is encoded, sent, stored and decoded as a whole. So these limits bound the memory that
/// both ends need for a save of any size, except for a single larger row.
package struct PartLimits: Hashable, Sendable {
    /// The greatest size of the encoded part in bytes.
    package var byteCount = 8 << 20
    /// The greatest number of values, identities and tags. A column of nulls takes no bytes, and a
    /// value of a few bytes takes many in memory.
    package var cellCount = 1 << 20
    /// The greatest size in bytes of the values of one record, which is never split over parts.
    package var recordBytes = Limits.largestRecord

    package init() {}
}
