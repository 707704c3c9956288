import AnabranchReplication
import AnabranchSQLite

/// The result of importing a bundle.
package struct BundleOutcome: Sendable {
    /// The number of change sets that were applied, including those that had waited for them.
    package var appliedCount = 0
    /// The number of the bundle's change sets that the store already had.
    package var heldCount = 0
    /// The number of change sets, of this bundle or an earlier one, that wait for their causes.
    package var waitingCount = 0
    /// The number of replicas that the contexts of the bundle's waiting change sets name together.
    fileprivate var waitingCauseCount = 0

    package init() {}
}

extension Store {
    /// Applies the change sets of a bundle that have their predecessors and causes in the store,
    /// one page in one transaction. The other change sets wait in the file until their causes
    /// arrive, in a bundle or from a zone.
    ///
    /// Bundles may be imported in any order, and more than once. The whole file is read, and a
    /// sealed one authenticated, before anything is applied.
    /// When this returns, everything that the bundle brought is on the disk, whatever the store's
    /// durability: the caller may delete the bundle.
    ///
    /// - Parameters:
    ///   - keyRing: Opens a sealed bundle; if it is given, plain text is refused.
    ///   - didApply: Called with the changes of each page, after its transaction.
    /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle`, `newerFormat`, `keyRequired`,
    ///   `keyMissing`, `notSealed`, `clockSkew`: nothing was changed, unless the file was changed
    ///   while it was read. `sequenceGap` if too much of the bundle would wait. In these cases, and
    ///   after any other error, the pages applied so far stay. Importing the bundle again continues
    ///   after them.
    package func importBundle(
        from path: String, openedWith keyRing: BundleKeyRing? = nil,
        didApply: (ChangedRecords) -> Void
    ) throws -> BundleOutcome {
        let opening = BundleOpening(keyRing)
        let summary = try BundleFile(path, opening).check()
        let file = BundleFile(path, opening, checked: summary)
        try checkTimes(of: file, greatest: summary.greatestTimestamp)
        var outcome = BundleOutcome()
        var page = BundlePage()
        try file.forEachItem { item in
            if case .part(let bytes) = item {
                _ = try write { try PartTable($0.connection).keep(ByteWriter(bytes)) }
            }
            guard case .changeSet(let set) = item else { return }
            page.append(set)
            guard page.isFull else { return }
            didApply(try apply(page, isLast: false, &outcome))
            page = BundlePage()
        }
        didApply(try apply(page, isLast: true, &outcome))
        outcome.waitingCount = try read { try $0.waitingCount() }
        // Also where all was held: another process may have applied it without a flush.
        if Mechanism.flushAfterImport.isOn { try makeDurable() }
        return outcome
    }

    /// Refuses a bundle with timestamps that are too far ahead. A change set that the store holds
    /// already, with whatever timestamp, does not count.
    private func checkTimes(of file: BundleFile, greatest: HybridTimestamp) throws {
        guard Mechanism.bundleClockLimit.isOn else { return }
        let state = try read { try StoreState.read($0.connection) }
        let time = StoreTime(state, environment)
        let limit = time.latest(.bundle)
        guard greatest > limit else { return }
        try file.forEachItem { item in
            guard case .changeSet(let set) = item, set.timestamp > limit,
                try !read({ try $0.holds(set) })
            else { return }
            throw StoreError(
                clockSkew: set.timestamp, of: "the bundle's change set \(set.dot)", .bundle,
                time.wallMilliseconds, path)
        }
    }

    /// Checks that the parts of a change set are still in the table; they were stored in
    /// transactions of their own.
    private func checkParts(of set: ChangeSet, _ transaction: StateTransaction) throws {
        guard try PartTable(transaction.connection).lacking(set) != nil else { return }
        throw StoreError(
            .busy,
            "Can't import \(set.dot) because another program has removed its parts from \(path) "
                + "meanwhile. Import the bundle again.", path: path)
    }

    /// The greatest number of replicas that the contexts of a bundle's waiting change sets name
    /// together: some 110 MiB of the file. A bundle has only the differences of contexts, so a
    /// small one could fill a disk.
    private static let waitingCauseLimit = 1 << 22

    /// Counts the context of a change set that waits, and refuses a bundle with too many of them.
    private func count(waiting set: ChangeSet, _ outcome: inout BundleOutcome) throws {
        outcome.waitingCauseCount += set.context.beyond.count
        guard outcome.waitingCauseCount > Self.waitingCauseLimit else { return }
        throw StoreError(
            .sequenceGap,
            "Can't import the bundle's change set \(set.dot) because too many change sets of the "
                + "bundle would wait in \(path): together they name more than "
                + "\(Self.waitingCauseLimit) change sets that come before them. First import the "
                + "bundles that have those, or sync.", path: path)
    }

    private func apply(
        _ page: BundlePage, isLast: Bool, _ outcome: inout BundleOutcome
    ) throws -> ChangedRecords {
        let (changed, applied, held) = try write { transaction in
            var operation = ApplyOperation(transaction)
            let first = try transaction.logPosition()
            var held = 0
            for set in page.changeSets {
                try checkParts(of: set, transaction)
                switch try operation.applyFromBundle(set) {
                case .applied: break
                case .held: held += 1
                case .waiting: try count(waiting: set, &outcome)
                }
            }
            if try operation.hasWaiting { try operation.releaseWaiting() }
            if isLast {
                try operation.reconsiderAll()
                // These are parts of saves that the store already had in another form.
                try PartTable(transaction.connection).removeUnused()
            }
            var changed = try transaction.collected(operation.changes)
            changed.conflicts = try transaction.writeConflicts()
            held += transaction.arrivals.beneathSnapshotCount
            return (changed, try transaction.setCount(after: first), held)
        }
        outcome.appliedCount += applied
        outcome.heldCount += held
        return changed
    }
}

/// Change sets that are applied in one transaction.
private struct BundlePage {
    private(set) var changeSets: [ChangeSet] = []
    private var byteCount = 0

    private static let maximumSets = 1_000
    private static let maximumBytes = 1 << 20

    var isFull: Bool { changeSets.count >= Self.maximumSets || byteCount >= Self.maximumBytes }

    mutating func append(_ set: ChangeSet) {
        changeSets.append(set)
        byteCount += set.payload.count
        byteCount += set.context.beyond.count * MemoryLayout<CausalContext.Entry>.stride
    }
}

extension StateTransaction {
    /// The position of the last appended entry.
    fileprivate func logPosition() throws -> Int64 {
        try log.nextPosition() - 1
    }

    /// The number of entries after a position. Positions cannot be subtracted, because stamps of
    /// change sets that the log does not have use positions too.
    fileprivate func setCount(after position: Int64) throws -> Int {
        try connection.cached(
            "SELECT count(*) FROM ab_changeset WHERE position > ?", position
        ).first { Int($0.int64(at: 0)) } ?? 0
    }
}

extension StoreReader {
    fileprivate func holds(_ set: ChangeSet) throws -> Bool {
        try ChangeLog(connection: connection, replicas: replicas()).position(of: set) != nil
    }
}
