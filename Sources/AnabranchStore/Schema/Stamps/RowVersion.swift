/// The version of a row when it was read, which optimistic locking compares.
///
/// It is the local position of the change set that last changed the row. No position is used twice,
/// so every change of the row gives it another version (invariant 9).
package struct RowVersion: Hashable, Sendable {
    /// The value of the column `ab_version`.
    package let position: Int64

    package init(_ position: Int64) { self.position = position }

    /// The version of a row that was never read.
    package static let none = RowVersion(0)

    /// The version of something that is not in the store yet. It counts as newer than every other
    /// one.
    package static let unknown = RowVersion(.max)
}

extension RowVersion: Comparable {
    package static func < (left: RowVersion, right: RowVersion) -> Bool {
        left.position < right.position
    }
}
