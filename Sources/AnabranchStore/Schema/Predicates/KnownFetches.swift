import Synchronization

/// The SQL of the fetches that were made lately, by their shapes.
///
/// A request that is made anew has the same text in the same memory, so its statement is found
/// prepared. All readers of a schema share the texts.
final class KnownFetches: Sendable {
    private struct Texts {
        var byShape: [FetchShape: (sql: String, takingSQL: String?)] = [:]
        var byteCount = 0
    }

    private static let greatestCount = 128
    private static let greatestByteCount = 1 << 20

    private let texts = Mutex(Texts())

    var count: Int { texts.withLock { $0.byShape.count } }

    /// - Returns: `nil` for a shape that is not known.
    func statement(of fetch: ShapedFetch) -> FetchStatement? {
        guard let text = texts.withLock({ $0.byShape[fetch.shape] }) else { return nil }
        return FetchStatement(sql: text.sql, takingSQL: text.takingSQL, bindings: fetch.bindings)
    }

    /// Keeps the text of a statement. If there are too many, all others are forgotten.
    func keep(_ statement: FetchStatement, of shape: FetchShape) {
        let byteCount = statement.sql.utf8.count + (statement.takingSQL?.utf8.count ?? 0)
        texts.withLock { texts in
            if texts.byShape.count == Self.greatestCount
                || texts.byteCount + byteCount > Self.greatestByteCount
            {
                texts = Texts()
            }
            guard
                texts.byShape.updateValue(
                    (statement.sql, statement.takingSQL), forKey: shape) == nil
            else { return }
            texts.byteCount += byteCount
        }
    }
}
