import AnabranchReplication
import AnabranchSQLite

/// What came of taking in a bundle.
package struct BundleOutcome: Sendable {
    /// Change sets that were applied, with those that had waited for them.
    package var appliedCount = 0
    /// The bundle's change sets that the store had already.
    package var heldCount = 0
    /// Change sets, of this bundle or an earlier one, that wait for others.
    package var waitingCount = 0

    package init() {}
}

extension Store {
    /// Applies the change sets of a bundle whose predecessors and causes are held, a page in one
    /// transaction; the others wait in the file until what they lack comes, by a bundle or a
    /// zone's log.
    ///
    /// Bundles may be taken in in any order, and more than once.
    ///
    /// All of the file is read, and of a sealed one authenticated, before anything is applied.
    ///
    /// - Parameters:
    ///   - keyRing: Opens a sealed bundle; with one, plain text is refused.
    ///   - didApply: Told what each page has changed, after its transaction.
    /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle`, `newerFormat`, `keyRequired`,
    ///   `keyMissing`, `notSealed`: nothing was changed, unless somebody has changed the file
    ///   while it was read. That, as any other error, leaves whole pages of what was found whole;
    ///   taking the bundle in again goes on behind them.
    package func importBundle(
        from path: String, openedWith keyRing: BundleKeyRing? = nil,
        didApply: (ChangedRecords) -> Void
    ) throws -> BundleOutcome {
        let opening = BundleOpening(keyRing)
        let summary = try BundleFile(path, opening).check()
        let file = BundleFile(path, opening, checked: summary)
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
        return outcome
    }

    /// The parts came in transactions of their own.
    private func checkParts(of set: ChangeSet, _ transaction: WriteTransaction) throws {
        guard try PartTable(transaction.connection).lacking(set) != nil else { return }
        throw StoreError(
            .busy,
            "Can't take in \(set.dot) because another program has tidied up \(path) meanwhile; "
                + "import the bundle again.", path: path)
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
                if try operation.arrive(set) == .held { held += 1 }
            }
            try operation.releaseWaiting()
            if isLast {
                try operation.reconsiderAll()
                // Of saves that were here already, in another form.
                try PartTable(transaction.connection).removeUnused()
            }
            var changed = try transaction.collected(operation.changes)
            changed.conflicts = try transaction.settleConflicts()
            held += operation.beneathSnapshotCount
            return (changed, try transaction.setCount(after: first), held)
        }
        outcome.appliedCount += applied
        outcome.heldCount += held
        return changed
    }
}

/// Change sets for one transaction.
private struct BundlePage {
    private(set) var changeSets: [ChangeSet] = []
    private var byteCount = 0

    private static let mostSets = 1_000
    private static let mostBytes = 1 << 20

    var isFull: Bool { changeSets.count >= Self.mostSets || byteCount >= Self.mostBytes }

    mutating func append(_ set: ChangeSet) {
        changeSets.append(set)
        byteCount += set.payload.count
    }
}

extension WriteTransaction {
    /// Of the last entry that was appended.
    fileprivate func logPosition() throws -> Int64 {
        try log.nextPosition() - 1
    }

    /// Positions are also given to stamps of sets that the log does not have.
    fileprivate func setCount(after position: Int64) throws -> Int {
        let statement = try connection.cached(
            "SELECT count(*) FROM ab_changeset WHERE position > ?")
        try statement.bind(position, at: 1)
        guard try statement.step() else { return 0 }
        defer { statement.reset() }
        return Int(statement.int64(at: 0))
    }
}
