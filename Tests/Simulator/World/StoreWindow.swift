import AnabranchSQLite
import AnabranchStore
import Synchronization

/// Looks at a store from a connection of its own, at any moment: between the steps of a run and
/// while a transaction is about to commit.
final class StoreWindow: Sendable {
    private struct State {
        var store: Store?
        /// Whether a transaction has begun to commit since the last look between two steps.
        var hasChanged = true
        var failure: SimulationFailure?
    }

    private let state = Mutex(State())
    private let names: SimulationModel

    init(_ names: SimulationModel) { self.names = names }

    func watch(_ store: Store?) {
        state.withLock { state in
            state.store = store
            state.hasChanged = true
        }
    }

    /// While a transaction is about to commit.
    func lookDuringCommit() {
        look()
        state.withLock { $0.hasChanged = true }
    }

    /// Looks for half a save and for ranges of two writers; what it finds is kept until
    /// ``check()``.
    private func look() {
        guard let store = state.withLock({ $0.store }) else { return }
        do {
            let count = try Self.halfPairs(in: store, names)
            if count > 0 { fail("half a save is visible: \(count) pairs in \(store.path)") }
            let mixed = try Self.mixedRanges(in: store, names)
            if mixed > 0 { fail("two writers' range is visible: \(mixed) in \(store.path)") }
        } catch {
            fail("the store can't be read beside a writer: \(error)")
        }
    }

    private func fail(_ text: String) {
        state.withLock { $0.failure = $0.failure ?? SimulationFailure(text) }
    }

    /// Between two steps.
    func check() throws {
        let hasChanged = state.withLock { state in
            defer { state.hasChanged = false }
            return state.hasChanged
        }
        if hasChanged { look() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private static func halfPairs(in store: Store, _ names: SimulationModel) throws -> Int64 {
        try count(in: store) { schema in
            """
            SELECT count(*) FROM (SELECT 1 FROM \(schema.layout(of: names.half).table.name)
            GROUP BY pair HAVING count(*) <> 2 OR min(token) IS NOT max(token))
            """
        }
    }

    /// A range has both ends or none, the low one below the high one.
    private static func mixedRanges(in store: Store, _ names: SimulationModel) throws -> Int64 {
        try count(in: store) { schema in
            """
            SELECT count(*) FROM \(schema.layout(of: names.label).table.name)
            WHERE coalesce(low, high) IS NOT NULL AND (low < high) IS NOT 1
            """
        }
    }

    private static func count(in store: Store, sql: (StoreSchema) -> String) throws -> Int64 {
        try store.read { reader in
            guard
                case .integer(let count)? = try reader.connection.firstValue(sql(reader.schema))
            else { return 0 }
            return count
        }
    }
}
