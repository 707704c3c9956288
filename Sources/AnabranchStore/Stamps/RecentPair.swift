/// What was asked for last, and before that: the rows of a block mostly name the same two sets,
/// and finding those in a dictionary would cost more than the rest.
struct RecentPair<Key: Equatable, Value> {
    private var last: (key: Key, value: Value)?
    private var other: (key: Key, value: Value)?

    /// - Parameter find: Called for a key that is neither of the two.
    mutating func value(of key: Key, _ find: () throws -> Value) rethrows -> Value {
        if let last, last.key == key { return last.value }
        if let other, other.key == key { return other.value }
        let value = try find()
        other = last
        last = (key, value)
        return value
    }
}
