/// What a connection has run, counted when a statement takes its first step.
///
/// Tests compare two readings to see how many statements an operation took.
public struct ConnectionStatistics: Sendable, Hashable {
    /// Statements that return rows and change nothing.
    public internal(set) var selects = 0
    /// Statements that change rows or the schema.
    public internal(set) var writes = 0
    /// PRAGMA, EXPLAIN, ATTACH and the control of transactions and savepoints.
    public internal(set) var others = 0
    /// Rows returned, by statements of any kind; those of a statement that is still between two
    /// steps are added when it ends.
    public internal(set) var rows = 0
    /// Texts compiled: what the cache did not have.
    public internal(set) var preparations = 0

    public init() {}

    public static func + (left: Self, right: Self) -> Self {
        combine(left, right, by: &+)
    }

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
