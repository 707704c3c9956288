/// The last two values that were looked up.
///
/// The rows of a block mostly name the same two change sets, and looking those up in a dictionary
/// would cost more than all other work.
struct RecentPair<Key: Equatable, Value> {
    private var last: (key: Key, value: Value)?
    private var other: (key: Key, value: Value)?

    /// The value of a key.
    ///
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
