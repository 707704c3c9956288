import CSQLite

/// A cached statement, which stays prepared between its borrowers.
final class CachedStatement {
    let sql: StatementText
    let prepared: PreparedStatement
    @exclusivity(unchecked) var isLent = true
    @exclusivity(unchecked) var lastUse: UInt64

    /// The memory of the bound short values, which the next borrower uses again; empty at first.
    @exclusivity(unchecked) private(set) var shortPlaces = UnsafeMutableRawBufferPointer(
        start: nil, count: 0)

    /// More memory is freed between two borrowers. This is enough for 16 parameters.
    private static let greatestKeptByteCount = 1024

    init(sql: StatementText, prepared: PreparedStatement, lastUse: UInt64) {
        self.sql = sql
        self.prepared = prepared
        self.lastUse = lastUse
    }

    deinit { shortPlaces.deallocate() }

    /// Takes the memory that a borrower leaves.
    func keep(_ places: UnsafeMutableRawBufferPointer) {
        if places.count <= Self.greatestKeptByteCount {
            shortPlaces = places
        } else {
            places.deallocate()
        }
    }
}

/// The text of a statement, compared by its bytes.
///
/// `String` compares by canonical equivalence, but two statements may differ in just that, within a
/// literal.
struct StatementText: Hashable {
    let text: String

    static func == (left: StatementText, right: StatementText) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.count == right.count
                    && csqlite_is_same(left.baseAddress, right.baseAddress, left.count) != 0
            }
        }
    }

    /// Hashes the text. If the text has more than 48 bytes, this hashes only its length and 16
    /// bytes each from its beginning, middle and end.
    ///
    /// Most statements differ in these bytes. The shorter hash saves time, because every use of a
    /// statement looks up its text.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard bytes.count > 3 * Self.sampleBytes else { return hasher.combine(bytes: bytes) }
            hasher.combine(bytes.count)
            for start in [0, bytes.count / 2, bytes.count - Self.sampleBytes] {
                hasher.combine(
                    bytes: UnsafeRawBufferPointer(
                        rebasing: bytes[start..<start + Self.sampleBytes]))
            }
        }
    }

    private static let sampleBytes = 16
}

/// The memory of a text: while something holds the text, no other text has the same.
private struct TextPlace: Equatable {
    let address: UInt
    let count: Int

    /// The greatest number of bytes that a `String` keeps in itself instead of in memory.
    private static let greatestInlineCount = 15

    /// - Returns: `nil` if the text has no memory of its own.
    init?(_ text: String) {
        let place = text.utf8.withContiguousStorageIfAvailable { bytes in
            (address: UInt(bitPattern: bytes.baseAddress), count: bytes.count)
        }
        guard let place, place.count > Self.greatestInlineCount else { return nil }
        (address, count) = place
    }
}

/// Prepared statements by their text; at most `limit` of them are idle.
///
/// A statement is used again and again with the same text in the same memory, a literal or a
/// constant of the schema. So the memory is compared first, and only another text is hashed.
///
/// The least recently used statement is removed first. The search looks at every entry, which is
/// cheap compared with preparing a statement.
struct StatementCache {
    /// A text that was looked up, which keeps its memory from being used for another one.
    private struct Recent {
        let place: TextPlace
        let text: String
        let entry: CachedStatement
    }

    let limit: Int
    private var entries: [StatementText: CachedStatement] = [:]
    /// The newest text of each of these places.
    private var recent = [Recent?](repeating: nil, count: 128)
    private var useCount: UInt64 = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    /// The entry for `sql`, marked as used now, lent or not.
    mutating func entry(for sql: StatementText) -> CachedStatement? {
        guard let entry = find(sql) else { return nil }
        useCount &+= 1
        entry.lastUse = useCount
        return entry
    }

    private mutating func find(_ sql: StatementText) -> CachedStatement? {
        guard let place = TextPlace(sql.text) else { return entries[sql] }
        let index = recentIndex(of: place)
        if let found = recent[index], found.place == place { return found.entry }
        guard let entry = entries[sql] else { return nil }
        recent[index] = Recent(place: place, text: sql.text, entry: entry)
        return entry
    }

    /// The addresses of texts are multiples of 16, but those of literals are not.
    private func recentIndex(of place: TextPlace) -> Int {
        Int(truncatingIfNeeded: (place.address &* 0x9E37_79B9_7F4A_7C15) >> 57)
    }

    mutating func insert(_ sql: StatementText, _ prepared: PreparedStatement) -> CachedStatement {
        useCount &+= 1
        let entry = CachedStatement(sql: sql, prepared: prepared, lastUse: useCount)
        entries[sql] = entry
        return entry
    }

    /// Removes an idle entry if there are more than the limit; the caller finalizes it.
    mutating func evict() -> CachedStatement? {
        guard entries.count > limit else { return nil }
        let idle = entries.values.lazy.filter { !$0.isLent }
        guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return nil }
        entries[oldest.sql] = nil
        for index in recent.indices where recent[index]?.entry === oldest { recent[index] = nil }
        return oldest
    }

    /// Removes the entries that are not lent; the caller finalizes them.
    mutating func removeIdle() -> [CachedStatement] {
        let idle = entries.values.filter { !$0.isLent }
        for entry in idle { entries[entry.sql] = nil }
        recent = recent.map { _ in nil }
        return idle
    }

    mutating func removeAll() -> [CachedStatement] {
        defer {
            entries = [:]
            recent = recent.map { _ in nil }
        }
        return Array(entries.values)
    }
}
