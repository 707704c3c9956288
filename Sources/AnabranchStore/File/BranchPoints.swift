/// The entries of the log at which renamed histories left others, as far as they were looked up.
///
/// They are valid until an entry of the log is renamed; then call ``forget()``.
final class BranchPoints {
    struct Point {
        let ordinal: Int64
        let sequence: UInt64
    }

    private var known: [Int64: Point?] = [:]

    /// The entry that precedes a replica's first one in the history that it left; `nil` if the log
    /// does not have it.
    ///
    /// - Parameter find: Looks it up. The result is kept.
    func point(of ordinal: Int64, _ find: () throws -> Point?) rethrows -> Point? {
        if let point = known[ordinal] { return point }
        let point = try find()
        known[ordinal] = .some(point)
        return point
    }

    func forget() { known = [:] }
}
