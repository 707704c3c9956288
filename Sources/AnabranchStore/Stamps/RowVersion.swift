/// The state of a row when it was read: what optimistic locking compares.
///
/// The position, in this file's log, of the change set that last changed the row. No position is
/// given twice, so every change of the row, by whomever, gives it another version (invariant 9).
package struct RowVersion: Hashable, Sendable {
    /// `ab_version`.
    package let position: Int64

    package init(_ position: Int64) { self.position = position }

    /// Of a row that was never read.
    package static let none = RowVersion(0)
}
