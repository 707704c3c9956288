import AnabranchSQLite
import Synchronization

/// The progress of a store's migration, which can be read and cancelled from any thread.
///
/// Give it to ``StoreOptions/migrationProgress`` before the store is opened. A migration that
/// writes neither rows nor links takes milliseconds and goes from 0 to 1 in one step.
public final class MigrationProgress: Sendable {
    private let state = Mutex(State())
    private let onChange: (@Sendable (Double) -> Void)?
    /// The progress of which this is a part.
    private let whole: MigrationProgress?

    private struct State {
        var fraction = 0.0
        var isCancelled = false
    }

    /// Creates a progress.
    ///
    /// - Parameter onChange: Called with the completed fraction after each change, on the thread
    ///   that opens the store.
    public init(onChange: (@Sendable (Double) -> Void)? = nil) {
        self.onChange = onChange
        whole = nil
    }

    private init(of whole: MigrationProgress, onChange: @escaping @Sendable (Double) -> Void) {
        self.onChange = onChange
        self.whole = whole
    }

    /// The progress of one of several steps, which moves this one.
    func part(_ index: Int, of count: Int) -> MigrationProgress {
        let first = Double(index) / Double(count)
        let last = Double(index + 1) / Double(count)
        return MigrationProgress(of: self) { [self] fraction in
            reach(fraction == 1 ? last : first + (last - first) * fraction)
        }
    }

    /// The completed part, from 0 to 1. It never falls during a migration.
    public var fractionCompleted: Double { state.withLock { $0.fraction } }

    /// True if ``cancel()`` was called.
    public var isCancelled: Bool {
        whole?.isCancelled ?? false || state.withLock { $0.isCancelled }
    }

    /// Stops the migration: opening the store throws `cancelled`, and the file stays as it was. In
    /// a staged migration, it stays as the last complete step has left it.
    ///
    /// A running statement is stopped too. A migration that has already been committed stays.
    public func cancel() { state.withLock { $0.isCancelled = true } }

    func reach(_ fraction: Double) {
        let isNew = state.withLock { state in
            let isNew = state.fraction != fraction
            state.fraction = fraction
            return isNew
        }
        if isNew { onChange?(fraction) }
    }
}

extension Store {
    /// Reports how much of a migration is done, and throws `cancelled` if it was cancelled.
    func reportMigration(_ fraction: Double) throws {
        options.migrationProgress?.reach(fraction)
        try checkMigrationIsWanted()
    }

    /// Throws `cancelled` if the migration was cancelled.
    func checkMigrationIsWanted(stopped statement: SQLiteError? = nil) throws {
        guard options.migrationProgress?.isCancelled ?? false else { return }
        throw StoreError(
            .cancelled,
            "Can't migrate \(path) because the migration was cancelled. Open it again to "
                + "continue.", path: path, underlying: statement)
    }

    /// Runs a part of a migration on a connection. If the migration is cancelled, a running
    /// statement is stopped, and this throws `cancelled`.
    func cancellable<Result>(
        _ connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        guard let progress = options.migrationProgress else { return try body() }
        do {
            return try connection.stopping(when: { progress.isCancelled }, body)
        } catch {
            let cause = (error as? StoreError)?.underlying ?? error
            if let stopped = cause as? SQLiteError, stopped.code == .interrupt {
                try checkMigrationIsWanted(stopped: stopped)
            }
            throw error
        }
    }
}
