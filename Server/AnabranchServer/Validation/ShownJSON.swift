import AnabranchReplication

/// JSON for the operator's hook, for which memory is reserved before it is written.
///
/// A save of few bytes can have much JSON, because a run of values takes hardly any bytes of a
/// change set.
struct ShownJSON: Sendable {
    /// There is no memory for more JSON.
    struct NoRoom: Error {}

    private(set) var bytes: [UInt8] = []
    private var capacity = 0
    private let reserve: (@Sendable (_ byteCount: Int) -> Bool)?

    private static let leastCapacity = 4096
    /// The growth if there is no memory for twice the present size.
    private static let smallGrowth = 1 << 20

    /// Creates empty JSON.
    ///
    /// - Parameter reserve: Called before the bytes grow, with their memory then; false if there is
    ///   not so much. `nil` for no limit.
    init(reserving reserve: (@Sendable (_ byteCount: Int) -> Bool)?) { self.reserve = reserve }

    mutating func append(_ text: String) throws(NoRoom) {
        try makeRoom(for: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: [UInt8]) throws(NoRoom) {
        try makeRoom(for: text.count)
        bytes.append(contentsOf: text)
    }

    /// Adds a text as a string of JSON.
    mutating func append(quoted text: String) throws(NoRoom) {
        try makeRoom(for: JSONString.greatestByteCount(of: text))
        JSONString.append(text, to: &bytes)
    }

    /// Adds the comma before an item of a list, unless it is the first one.
    mutating func beginItem() throws(NoRoom) {
        if bytes.last != UInt8(ascii: "[") { try append(",") }
    }

    /// Removes the bytes behind a position.
    mutating func cut(to count: Int) { bytes.removeSubrange(count...) }

    /// Reserves memory for further bytes. While the bytes are moved, they are there twice.
    private mutating func makeRoom(for count: Int) throws(NoRoom) {
        let needed = bytes.count + count
        guard needed > capacity else { return }
        for greater in [max(needed, 2 * capacity, Self.leastCapacity), needed + Self.smallGrowth] {
            guard reserve?(greater + bytes.count) ?? true else { continue }
            capacity = greater
            bytes.reserveCapacity(capacity)
            return
        }
        throw NoRoom()
    }
}
