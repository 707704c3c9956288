internal import AnabranchReplication
package import AnabranchStore

/// Performs a session's work on the store, synchronously, on the calling thread.
///
/// Two engines, or two processes, may sync one file at the same time without a lease, because every
/// step is safe under concurrency. A page is applied only if it begins at the store's cursor, which
/// is compared inside the transaction. Pushing a change set twice gets the same acknowledgement,
/// and storing that twice changes nothing. An engine that loses a race repeats a request. A lease
/// would stop the sync of the file after a crash of the process that holds it.
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
    private let rejections = RejectionCount()

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

    /// Performs work of the session.
    ///
    /// - Returns: The event that answers the work. A failure of the store is an event too.
    package func perform(_ work: SyncSession.StoreWork) -> SyncSession.Event {
        do {
            switch work {
            case .apply(let page):
                if let part = try store.lackingPart(of: page) { return .lacking(part) }
                return try applied { try store.apply(page) }
            case .keep(let piece, let part, let start):
                try store.keep(piece, of: part, at: start)
                return .kept
            case .loadPiece(let set, let number, let start, let byteLimit):
                return .piece(
                    try store.piece(of: set, part: number, from: start, byteLimit: byteLimit))
            case .acknowledge(let acknowledgements, let epoch):
                show(try store.acknowledge(acknowledgements, epoch: epoch))
                return .acknowledged(try store.syncState())
            case .loadPending(let byteLimit): return try load(byteLimit: byteLimit)
            case .renewIdentity(let sequence): return try renew(ifLastBelow: sequence)
            case .recordEpochs(let epochs):
                try store.recordEpochs(epochs)
                return .recorded(try store.syncState())
            case .cursor(let position, let earlier):
                return .cursor(try store.cursor(at: position, behind: earlier))
            case .rewind(let cursor):
                let copy = try store.rewind(to: cursor)
                return .rewound(try store.syncState(), keptCopy: copy)
            case .loadRecordsToRepair(let limit):
                return .recordsToRepair(try store.recordsToRepair(limit: limit))
            case .repair(let images, let place):
                return try applied { try store.repair(images, at: place) }
            case .wantSnapshot:
                try store.wantSnapshot()
                return .recorded(try store.syncState())
            case .stage(let chunk, let number, let snapshot):
                try store.stage(chunk, number: number, of: snapshot)
                return .staged(try store.syncState())
            case .loadSnapshot(let isPushBlocked):
                return try applied {
                    try store.loadSnapshot(isPushBlocked: isPushBlocked) ?? ChangedRecords()
                }
            case .supply(let missing):
                let entries = try store.supply(missing)
                if !entries.isEmpty { try store.flushBeforePush() }
                return .supplied(entries)
            case .renameBranch(let dot, let origin):
                return try rewritten { try store.renameBranch(dot, to: origin) }
            case .takeForms(let acknowledged, let horizon):
                return try rewritten { try store.takeForms(acknowledged, beneath: horizon) }
            case .compare(let ranges, let place): return try compared(ranges, at: place)
            case .queueForRepair(let records):
                try store.queueForRepair(records)
                return .queuedForRepair(try store.syncState())
            case .restamp(let limit, let offset):
                show(try store.restamp(above: limit, clockOffsetMilliseconds: offset))
                return .restamped
            }
        } catch {
            return .storeFailed(SyncError(storeFailure: error))
        }
    }

    private func applied(
        _ change: () throws -> ChangedRecords
    ) throws -> SyncSession.Event {
        do {
            show(try change())
            return .applied(try store.syncState())
        } catch let error as StoreError where error.code == .cursorMoved {
            return .cursorMoved(try store.syncState())
        }
    }

    private func rewritten(
        _ change: () throws -> ChangedRecords?
    ) throws -> SyncSession.Event {
        guard let changed = try change() else { return .rewritten(nil) }
        show(changed)
        return .rewritten(try store.syncState())
    }

    private func compared(
        _ ranges: [ComparedRange], at place: CausalContext.Prefix
    ) throws -> SyncSession.Event {
        do {
            return .compared(
                try store.compare(ranges.map { ($0.range, $0.summary) }, at: place))
        } catch let error as StoreError where error.code == .cursorMoved {
            return .cursorMoved(try store.syncState())
        }
    }

    func takeRejections() -> Int { rejections.take() }

    private func show(_ changed: ChangedRecords) {
        rejections.add(changed.rejections.count)
        let isSilent = changed.conflicts.isEmpty && changed.rejections.isEmpty
        guard !changed.isEmpty || !isSilent else { return }
        merges.begin()
        didApply(changed) { [merges] in merges.end() }
    }

    /// Loads saves to push. They are made durable before they leave the file, so no replica ever
    /// holds a save that its author can forget after a crash.
    private func load(byteLimit: Int) throws -> SyncSession.Event {
        let sets = try store.pending(byteLimit: byteLimit)
        if !sets.isEmpty { try store.flushBeforePush() }
        return .loaded(sets, try store.syncState())
    }

    private func renew(ifLastBelow sequence: UInt64) throws -> SyncSession.Event {
        let last = try store.syncState().last?.sequence ?? 0
        if last < sequence { try store.renewIdentity() }
        return .renewed
    }
}

extension SyncError {
    /// Creates the error that a failure of the store means for an exchange.
    init(storeFailure error: any Error) {
        guard let failure = error as? StoreError else {
            self.init(
                .storeFailed, "Can't exchange changes because the store failed: \(error)",
                underlying: error)
            return
        }
        let code: Code =
            switch failure.code {
            case .busy: .storeBusy
            case .forked: .forked
            case .clockSkew: .clockSkew
            // The bytes do not have the form that the zone's log says. A new request may bring
            // undamaged ones.
            case .sequenceGap, .digestMismatch, .malformedChangeSet: .damagedResponse
            default: .storeFailed
            }
        self.init(code, failure.message, underlying: failure)
    }
}
