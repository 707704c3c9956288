/// The knowledge that a write transaction has of the log without reading it.
///
/// It is valid as long as the log changes by the transaction alone, and until the transaction is
/// rolled back. Parts of a transaction are never rolled back.
final class KnownLog {
    /// The last position that was given to an entry, or that no entry gets any more.
    private(set) var lastPosition: Int64
    /// The numbers of shared tables (``SharedTables``) by their bytes.
    private(set) var numbers: [[UInt8]: Int64]

    /// The number of tables that are kept. They are short, and an app has few kinds of saves.
    private static let greatestCount = 64

    init(lastPosition: Int64) {
        self.lastPosition = lastPosition
        numbers = [:]
    }

    /// Creates the knowledge of the transaction after another one.
    init(after other: KnownLog) {
        lastPosition = other.lastPosition
        numbers = other.numbers
    }

    /// Takes the positions up to this one.
    func takePositions(through position: Int64) { lastPosition = max(lastPosition, position) }

    func add(_ number: Int64, ofTables bytes: [UInt8]) {
        guard numbers[bytes] == nil else { return }
        if numbers.count >= Self.greatestCount { numbers = [:] }
        numbers[bytes] = number
    }
}
