internal import AnabranchReplication
package import AnabranchStore

/// Performs the work of an exchange on the store, synchronously, on the calling thread.
///
/// Two engines, or two processes, may sync one file at the same time without a lease, because every
/// step is safe under concurrency. A page is applied only if it begins at the store's cursor, which
/// is compared inside the transaction. Pushing a change set twice gets the same acknowledgement,
/// and storing that twice changes nothing. An engine that loses a race repeats a request. A lease
/// would stop the sync of the file after a crash of the process that holds it.
///
/// Each function is one transaction, and throws the errors of the store.
package struct StoreExecutor: Sendable {
    /// The store that is synced.
    package let store: Store
    /// Receives the changes of each page after its transaction, and calls back when all contexts
    /// have merged them.
    package typealias Observer = @Sendable (ChangedRecords, @escaping @Sendable () -> Void) -> Void

    private let didApply: Observer
    /// The pages that contexts have not merged yet.
    let merges = PendingMerges()
    /// The number of saves found to be rejected since the last call of `takeRejections()`.
    private let rejections = WorkCount()
    /// The number of records that snapshots brought since the last call of
    /// `takeSnapshotRecords()`.
    private let snapshotRecords = WorkCount()

    /// Creates the store's side of an exchange.
    ///
    /// - Parameter didApply: Receives the changes of each page. It must call its second argument
    ///   when all contexts have merged them.
    package init(_ store: Store, didApply: @escaping Observer = { _, done in done() }) {
        self.store = store
        self.didApply = didApply
    }

    /// The present state of the store, from which an exchange begins.
    package func state() throws -> SyncState { try store.syncState() }

    /// The state of the store after the last work of this process on it, as far as that is known.
    func stateAsLeft() throws -> SyncState { try store.syncStateAsLeft() }

    func takeRejections() -> Int { rejections.take() }

    func takeSnapshotRecords() -> Int { snapshotRecords.take() }

    /// Returns the state after a change that takes nothing from the contexts.
    private func state(after change: () throws -> Void) throws -> SyncState {
        try change()
        return try stateAsLeft()
    }

    private func show(_ changed: ChangedRecords) {
        rejections.add(changed.rejections.count)
        snapshotRecords.add(changed.snapshotRecordCount)
        let isSilent = changed.conflicts.isEmpty && changed.rejections.isEmpty
        guard !changed.isEmpty || !isSilent else { return }
        merges.begin()
        didApply(changed) { [merges] in merges.end() }
    }
}

// MARK: - The zone's log

extension StoreExecutor {
    /// Stores the epochs of the zone.
    func recordEpochs(_ epochs: [EpochID]) throws -> SyncState {
        try state { try store.recordEpochs(epochs) }
    }

    /// Gives the next save a new replica ID, unless the store has caught up with the zone.
    func renewIdentity(ifLastBelow sequence: UInt64) throws {
        let last = try store.syncState().last?.sequence ?? 0
        if last < sequence { try store.renewIdentity() }
    }

    /// The store's cursor at an earlier position, computed from a cursor before it; `nil` if the
    /// store's log does not reach the position.
    func cursor(at position: UInt64, behind earlier: LogCursor) throws -> LogCursor? {
        try store.cursor(at: position, behind: earlier)
    }

    /// Moves the cursor back.
    func rewind(to cursor: LogCursor) throws -> RewindAnswer {
        let copy = try store.rewind(to: cursor)
        return RewindAnswer(state: try stateAsLeft(), keptCopy: copy)
    }
}

// MARK: - Pulling

extension StoreExecutor {
    /// Applies a page, unless a part of one of its saves is missing.
    func apply(_ page: RemotePage) throws -> PageAnswer {
        if let part = try store.lackingPart(of: page) { return .lacking(part) }
        switch try changed({ try store.apply(page) }) {
        case .applied(let state): return .applied(state)
        case .cursorMoved(let state): return .cursorMoved(state)
        }
    }

    /// Stores a piece of a part.
    func keep(_ piece: [UInt8], of part: SavePart, at start: Int) throws {
        try store.keep(piece, of: part, at: start)
    }

    /// Stores a chunk of a snapshot.
    func stage(
        _ chunk: [UInt8], number: UInt64, of snapshot: StagedSnapshot
    ) throws -> SyncState {
        try state { try store.stage(chunk, number: number, of: snapshot) }
    }

    /// Loads a complete snapshot. It is discarded if its chunks are damaged; and nothing happens
    /// if something must be pushed first.
    func loadSnapshot(isPushBlocked: Bool) throws -> ContentAnswer {
        try changed { try store.loadSnapshot(isPushBlocked: isPushBlocked) ?? ChangedRecords() }
    }

    /// Records that the store needs a snapshot, also after a restart.
    func wantSnapshot() throws -> SyncState { try state { try store.wantSnapshot() } }

    private func changed(_ change: () throws -> ChangedRecords) throws -> ContentAnswer {
        do {
            show(try change())
            return .applied(try stateAsLeft())
        } catch let error as StoreError where error.code == .cursorMoved {
            return .cursorMoved(try store.syncState())
        }
    }
}

// MARK: - Pushing

extension StoreExecutor {
    /// Throws if all records of the zone are of entities that the model lacks.
    func refuseForeignZone() throws {
        guard let entities = try store.zoneEntities().foreign else { return }
        throw SyncError(ForeignZone(entities))
    }

    /// Loads saves to push. They are made durable before they leave the file, so no replica ever
    /// holds a save that its author can forget after a crash.
    func pending(byteLimit: Int, countLimit: Int) throws -> PendingAnswer {
        let state = try stateAsLeft()
        guard state.hasPending else { return PendingAnswer(sets: [], state: state) }
        let sets = try store.pending(byteLimit: byteLimit, countLimit: countLimit)
        try store.flushBeforePush()
        return PendingAnswer(sets: sets, state: try stateAsLeft())
    }

    /// Loads a piece of a part of a save that is to be pushed; `nil` if another process has
    /// rewritten or removed the save meanwhile.
    func piece(
        of set: ChangeSet, part number: Int, from start: Int, byteLimit: Int
    ) throws -> PartPiece? {
        try store.piece(of: set, part: number, from: start, byteLimit: byteLimit)
    }

    /// Gives a change set a form that fits a request, or rejects it; `nil` if neither is possible.
    func divide(
        _ set: ChangeSet, toFit byteLimit: Int, orReject rejection: Rejection?
    ) throws -> SyncState? {
        try rewritten { try store.divide(set, toFit: byteLimit, orReject: rejection) }
    }

    /// Stores acknowledgements.
    func acknowledge(_ acknowledgements: [Acknowledged], epoch: EpochID) throws -> SyncState {
        try state { show(try store.acknowledge(acknowledgements, epoch: epoch)) }
    }

    /// Gives unpushed change sets with later times the least times that keep their order.
    func restamp(above limit: HybridTimestamp, clockOffsetMilliseconds offset: Int64) throws {
        show(try store.restamp(above: limit, clockOffsetMilliseconds: offset))
    }

    /// Finds change sets that the zone lacks and that others depend on. None are found if the
    /// store holds them as acknowledged: then the zone contradicts itself.
    func supply(_ missing: MissingChangeSets) throws -> [StoredLogEntry] {
        let entries = try store.supply(missing)
        if !entries.isEmpty { try store.flushBeforePush() }
        return entries
    }

    /// Renames the store's branch of a forked history; `nil` if there was nothing to rename.
    func renameBranch(_ dot: Dot, to origin: Digest?) throws -> SyncState? {
        try rewritten { try store.renameBranch(dot, to: origin) }
    }

    /// Raises the time of a change set above that of its predecessor in the zone's log; `nil` if
    /// there was nothing to raise.
    func raise(_ dot: Dot, above floor: HybridTimestamp) throws -> SyncState? {
        try rewritten { try store.raise(dot, above: floor) }
    }

    /// Adopts the log's forms of pushed change sets that are before its horizon; `nil` if there was
    /// nothing to adopt.
    func takeForms(
        _ acknowledged: [Acknowledged], beneath horizon: CausalContext.Prefix
    ) throws -> SyncState? {
        try rewritten { try store.takeForms(acknowledged, beneath: horizon) }
    }

    private func rewritten(_ change: () throws -> ChangedRecords?) throws -> SyncState? {
        guard let changed = try change() else { return nil }
        show(changed)
        return try stateAsLeft()
    }
}

// MARK: - Repair and verification

extension StoreExecutor {
    /// Loads the first records that wait for repair.
    func recordsToRepair(limit: Int) throws -> [RecordID] {
        try store.recordsToRepair(limit: limit)
    }

    /// Repairs records.
    func repair(
        _ images: [RecordImage], at place: CausalContext.Prefix
    ) throws -> ContentAnswer {
        try changed { try store.repair(images, at: place) }
    }

    /// Compares ranges of the zone's state with the store's.
    func compare(
        _ ranges: [ComparedRange], at place: CausalContext.Prefix
    ) throws -> ComparisonAnswer {
        do {
            return .compared(
                try store.compare(ranges.map { ($0.range, $0.summary) }, at: place))
        } catch let error as StoreError where error.code == .cursorMoved {
            return .cursorMoved(try store.syncState())
        }
    }

    /// Records that these records wait for repair, because they differ.
    func queueForRepair(_ records: [RecordID]) throws -> SyncState {
        try state { try store.queueForRepair(records) }
    }
}
