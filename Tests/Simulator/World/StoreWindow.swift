import AnabranchSQLite
import AnabranchStore
import Synchronization

/// Checks a store through a separate connection at any moment: between the steps of a run, and
/// while a transaction is about to commit.
final class StoreWindow: Sendable {
    private struct State {
        var store: Store?
        var names: SimulationModel
        /// Whether a transaction has begun to commit since the last check between two steps.
        var hasChanged = true
        /// The number of times at which the visible state may have changed.
        var changeCount = 0
        var failure: SimulationFailure?
    }

    private let state: Mutex<State>

    init(_ names: SimulationModel) { state = Mutex(State(names: names)) }

    /// - Parameter names: The version of the model that the store is open with.
    func watch(_ store: Store?, _ names: SimulationModel) {
        state.withLock { state in
            state.store = store
            state.names = names
            state.hasChanged = true
            state.changeCount += 1
        }
    }

    /// A number that is the same as long as no transaction begins to commit and the window watches
    /// the same file.
    var changeCount: Int { state.withLock(\.changeCount) }

    /// Checks the store while a transaction is about to commit.
    func lookDuringCommit() {
        look()
        state.withLock { state in
            state.hasChanged = true
            state.changeCount += 1
        }
    }

    /// Looks for half a save and for ranges that mix two writers. It keeps a failure until
    /// ``check()`` throws it.
    private func look() {
        let (watched, names) = state.withLock { ($0.store, $0.names) }
        guard let store = watched else { return }
        do {
            let (half, mixed) = try store.read { reader in
                (
                    try Self.count(Self.halfPairs(in: reader.schema, names), reader),
                    try Self.count(Self.mixedRanges(in: reader.schema, names), reader)
                )
            }
            if half > 0 { fail("half a save is visible: \(half) pairs in \(store.path)") }
            if mixed > 0 { fail("two writers' range is visible: \(mixed) in \(store.path)") }
        } catch {
            fail("the store can't be read beside a writer: \(error)")
        }
    }

    private func fail(_ text: String) {
        state.withLock { $0.failure = $0.failure ?? SimulationFailure(text) }
    }

    /// Checks the store between two steps, and throws an earlier failure.
    func check() throws {
        let hasChanged = state.withLock { state in
            defer { state.hasChanged = false }
            return state.hasChanged
        }
        if hasChanged { look() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private static func halfPairs(in schema: StoreSchema, _ names: SimulationModel) -> String {
        """
        SELECT count(*) FROM (SELECT 1 FROM \(schema.layout(of: names.half).table.name)
        GROUP BY pair HAVING count(*) <> 2 OR min(token) IS NOT max(token))
        """
    }

    /// Returns SQL for the labels with an invalid range: a range has both ends or none, and the low
    /// end is below the high end.
    private static func mixedRanges(in schema: StoreSchema, _ names: SimulationModel) -> String {
        """
        SELECT count(*) FROM \(schema.layout(of: names.label).table.name)
        WHERE coalesce(low, high) IS NOT NULL AND (low < high) IS NOT 1
        """
    }

    private static func count(_ sql: String, _ reader: StoreReader) throws -> Int64 {
        guard case .integer(let count)? = try reader.connection.firstValue(sql) else { return 0 }
        return count
    }
}
