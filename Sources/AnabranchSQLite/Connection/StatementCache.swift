import CSQLite

/// A cached statement, which stays prepared between its borrowers.
final class CachedStatement {
    let sql: StatementText
    let handle: OpaquePointer
    let kind: StatementKind
    @exclusivity(unchecked) var isLent = true
    @exclusivity(unchecked) var lastUse: UInt64

    init(sql: StatementText, handle: OpaquePointer, kind: StatementKind, lastUse: UInt64) {
        self.sql = sql
        self.handle = handle
        self.kind = kind
        self.lastUse = lastUse
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

/// Prepared statements by their text; at most `limit` of them are idle.
///
/// The least recently used one is removed first. The search looks at every entry, which is cheap
/// compared with preparing a statement.
struct StatementCache {
    let limit: Int
    private var entries: [StatementText: CachedStatement] = [:]
    private var useCount: UInt64 = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    var count: Int { entries.count }

    /// The entry for `sql`, marked as used now, lent or not.
    mutating func entry(for sql: StatementText) -> CachedStatement? {
        guard let entry = entries[sql] else { return nil }
        useCount &+= 1
        entry.lastUse = useCount
        return entry
    }

    mutating func insert(
        _ sql: StatementText, handle: OpaquePointer, kind: StatementKind
    ) -> CachedStatement {
        useCount &+= 1
        let entry = CachedStatement(sql: sql, handle: handle, kind: kind, lastUse: useCount)
        entries[sql] = entry
        return entry
    }

    /// Removes an idle entry if there are more than the limit; the caller finalizes it.
    mutating func evict() -> CachedStatement? {
        guard entries.count > limit else { return nil }
        let idle = entries.values.lazy.filter { !$0.isLent }
        guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return nil }
        entries[oldest.sql] = nil
        return oldest
    }

    mutating func removeAll() -> [CachedStatement] {
        defer { entries = [:] }
        return Array(entries.values)
    }
}
