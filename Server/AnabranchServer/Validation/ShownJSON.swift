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

    /// Adds a text as it is.
    mutating func append(_ text: String) throws(NoRoom) {
        try makeRoom(for: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: [UInt8]) throws(NoRoom) {
        try makeRoom(for: text.count)
        bytes.append(contentsOf: text)
    }

    /// Adds a text as a string of JSON.
    ///
    /// Source: RFC 8259 §7.
    mutating func append(quoted text: String) throws(NoRoom) {
        let escapes = text.utf8.count { Self.isEscaped($0) }
        try makeRoom(for: text.utf8.count + escapes * 5 + 2)
        bytes.append(UInt8(ascii: "\""))
        if escapes == 0 {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 {
                if Self.isEscaped(byte) {
                    bytes.append(contentsOf: Self.escape(byte).utf8)
                } else {
                    bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds the comma before an item of a list, unless it is the first one.
    mutating func beginItem() throws(NoRoom) {
        if bytes.last != UInt8(ascii: "[") { try append(",") }
    }

    /// Removes the bytes behind a position.
    mutating func cut(to count: Int) { bytes.removeSubrange(count...) }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): return "\\\""
        case UInt8(ascii: "\\"): return "\\\\"
        case UInt8(ascii: "\n"): return "\\n"
        case UInt8(ascii: "\r"): return "\\r"
        case UInt8(ascii: "\t"): return "\\t"
        default:
            let digits = String(byte, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

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
