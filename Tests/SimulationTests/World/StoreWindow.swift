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

    /// Looks for half a save; what it finds is kept until ``check()``.
    private func look() {
        guard let store = state.withLock({ $0.store }) else { return }
        do {
            let count = try Self.halfPairs(in: store, names)
            guard count > 0 else { return }
            fail("half a save is visible: \(count) pairs in \(store.path)")
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
        try store.read { reader in
            let table = reader.schema.layout(of: names.half).table.name
            let value = try reader.connection.firstValue(
                """
                SELECT count(*) FROM (SELECT 1 FROM \(table) GROUP BY pair
                HAVING count(*) <> 2 OR min(token) IS NOT max(token))
                """)
            guard case .integer(let count)? = value else { return 0 }
            return count
        }
    }
}
