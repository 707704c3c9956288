/// Counts of statements and rows of a connection.
///
/// A statement is counted when it takes its first step. Tests compare two readings to count the
/// statements of an operation.
public struct ConnectionStatistics: Sendable, Hashable {
    /// The number of statements that return rows and change nothing.
    public internal(set) var selects = 0
    /// The number of statements that change rows or the schema.
    public internal(set) var writes = 0
    /// The number of other statements: PRAGMA, EXPLAIN, ATTACH, transactions and savepoints.
    public internal(set) var others = 0
    /// The number of returned rows; those of a running statement are added when it ends.
    public internal(set) var rows = 0
    /// The number of compiled statements, which the cache did not have.
    public internal(set) var preparations = 0

    /// Creates counts of zero.
    public init() {}

    /// Adds two counts.
    public static func + (left: Self, right: Self) -> Self {
        combine(left, right, by: &+)
    }

    /// The difference of two counts.
    public static func - (left: Self, right: Self) -> Self {
        combine(left, right, by: &-)
    }

    private static func combine(_ left: Self, _ right: Self, by join: (Int, Int) -> Int) -> Self {
        var result = Self()
        result.selects = join(left.selects, right.selects)
        result.writes = join(left.writes, right.writes)
        result.others = join(left.others, right.others)
        result.rows = join(left.rows, right.rows)
        result.preparations = join(left.preparations, right.preparations)
        return result
    }
}
