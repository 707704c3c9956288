/// The state of a row when it was read: what optimistic locking compares.
///
/// The last write to the record, and the stamps that differ from its first write. Every change of
/// the row, by whomever, changes one of the three (invariant 9).
package struct RowVersion: Hashable, Sendable {
    /// `ab_stamp`: the timestamp of the last write.
    package var stamp: Int64
    /// `ab_by`: the ordinal of the replica that made it.
    package var by: Int64
    /// `ab_stamps`; `nil` while one save wrote everything.
    package var stamps: [UInt8]?

    package init(stamp: Int64, by: Int64, stamps: [UInt8]? = nil) {
        self.stamp = stamp
        self.by = by
        self.stamps = stamps
    }
}
