package import AnabranchStore

/// The store's side of an exchange, on which its steps work, synchronously, on the calling thread.
///
/// Two engines, or two processes, may sync one file at the same time without a lease, because every
/// step is safe under concurrency. A page is applied only if it begins at the store's cursor, which
/// is compared inside the transaction. Pushing a change set twice gets the same acknowledgement,
/// and storing that twice changes nothing. An engine that loses a race repeats a request. A lease
/// would stop the sync of the file after a crash of the process that holds it.
package struct StoreExecutor: Sendable {
    package let store: Store
    /// Receives the changes of each page after its transaction, and calls back when all contexts
    /// have merged them.
    package typealias Observer = @Sendable (ChangedRecords, @escaping @Sendable () -> Void) -> Void

    private let didApply: Observer
    /// The pages that contexts have not merged yet.
    let merges = PendingMerges()
    /// The number of saves found to be rejected since the exchange began.
    let rejections = WorkCount()
    /// The number of records that snapshots brought since the exchange began.
    let snapshotRecords = WorkCount()

    /// Creates the store's side of an exchange.
    ///
    /// - Parameter didApply: Receives the changes of each page. It must call its second argument
    ///   when all contexts have merged them.
    package init(_ store: Store, didApply: @escaping Observer = { _, done in done() }) {
        self.store = store
        self.didApply = didApply
    }

    /// Lets the contexts merge changes.
    func show(_ changed: ChangedRecords) {
        rejections.add(changed.rejections.count)
        snapshotRecords.add(changed.snapshotRecordCount)
        let isSilent = changed.conflicts.isEmpty && changed.rejections.isEmpty
        guard !changed.isEmpty || !isSilent else { return }
        merges.begin()
        didApply(changed) { [merges] in merges.end() }
    }

    /// Returns the state of the store after a change that takes nothing from the contexts.
    func state(after change: (Store) throws -> Void) throws -> SyncState {
        try change(store)
        return try store.syncStateAsLeft()
    }

    /// Changes records, and shows the changes, unless another process has moved the cursor.
    func changed(_ change: (Store) throws -> ChangedRecords) throws -> ContentAnswer {
        try unlessCursorMoved {
            show(try change($0))
            return .applied(try store.syncStateAsLeft())
        } orElse: {
            .cursorMoved($0)
        }
    }

    /// Gives change sets another form, and shows what that changes; `nil` if there was nothing to
    /// do.
    func rewritten(_ change: (Store) throws -> ChangedRecords?) throws -> SyncState? {
        guard let changed = try change(store) else { return nil }
        show(changed)
        return try store.syncStateAsLeft()
    }

    /// Does work, or answers with the state of a store that another process has moved on.
    func unlessCursorMoved<Answer>(
        _ work: (Store) throws -> Answer, orElse answer: (SyncState) -> Answer
    ) throws -> Answer {
        do {
            return try work(store)
        } catch let error as StoreError where error.code == .cursorMoved {
            return answer(try store.syncState())
        }
    }
}
