import AnabranchReplication
import AnabranchSQLite

/// A write transaction with what its operations have read of the state and add to it.
///
/// There is one owner for each of these, so no operation can miss what another one has done within
/// the same transaction.
final class StateTransaction: WriteTransaction {
    /// The entries added to the conflict journal.
    private(set) lazy var conflicts: JournalRows = {
        usesJournal = true
        return JournalRows(connection)
    }()
    private var usesJournal = false
    /// The view rules that the transaction applies.
    private(set) lazy var views: ViewRules = {
        usesViews = true
        return ViewRules(self)
    }()
    private var usesViews = false
    /// True if the app saves. A save must not merge records that were visible separately.
    var isSaving = false
    /// Stamps of the log's entries. Call ``forgetReadings()`` after an entry got another form.
    private(set) lazy var logStamps: LogStamps = {
        usesStamps = true
        return LogStamps(connection)
    }()
    private var usesStamps = false
    private(set) lazy var deferred = DeferredRows(self)
    private(set) lazy var held = HeldRecords(connection, schema: schema, deferred: deferred)
    private(set) lazy var journal = ConflictRecorder(self)
    /// The links and the marks of deletes that change sets have changed and that are not written
    /// yet.
    private(set) lazy var changedLinks = ChangedLinks(self)
    private(set) lazy var changedMarks = ChangedMarks(self)
    /// True if there may be such links or marks.
    var hasUnwrittenChanges = false
    /// The indexes of synced records, which a load into an empty store drops for a while.
    private(set) lazy var indexes = SyncedIndexes(connection, schema: schema)
    /// Change sets that came in this transaction, for those that wait for them.
    private(set) lazy var arrivals = Arrivals()
    /// The numbers of the saves that turned out to be rejected.
    private(set) var rejections: [RejectedSave.ID] = []

    func recordRejection(_ id: RejectedSave.ID) { rejections.append(id) }

    /// Gives an entry of the log another form (``ChangeLog/replace(_:by:ordinal:)``), and forgets
    /// what was read of it.
    func replace(_ entry: StoredLogEntry, by set: ChangeSet, ordinal: Int64) throws {
        try log.replace(entry, by: set, ordinal: ordinal)
        try UnorderedEntries(connection: connection).includeAll()
        forgetReadings()
    }

    /// Discards the cached stamps, dots, zone positions and authors of log entries. Call this after
    /// an entry of the log was replaced, or its zone position changed.
    ///
    /// ``arrivals`` and the conflicts that this transaction has recorded are kept.
    func forgetReadings() {
        logStamps.forget()
        journal.forgetPlaces()
        knownLog.forgetBranchPoints()
    }

    /// Writes what the merge of change sets has kept in memory, so that the tables have the whole
    /// state.
    func writeChanges() throws {
        guard hasUnwrittenChanges else { return }
        hasUnwrittenChanges = false
        try changedLinks.write()
        try changedMarks.write()
    }

    /// True if some records are members of duplicate sets.
    var hasDuplicates: Bool { !schema.constraints.isEmpty && !views.mergedDuplicates.isEmpty }

    /// True if some references are hidden.
    var hidesReferences: Bool { schema.hasViewRules && !views.hidden.isEmpty }

    /// True if the view rules have been applied to everything that changed.
    var areViewsSettled: Bool { !usesViews || views.isSettled }

    /// Applies the view rules, and returns the changed records.
    func collected(_ changes: ChangeCollector) throws -> ChangedRecords {
        try writeChanges()
        if !usesViews, changes.isEmpty { return ChangedRecords() }
        var changes = changes
        if !views.isSettled { try views.apply(&changes) }
        if changes.isEmpty, views.hiding.isEmpty { return ChangedRecords() }
        let reader = StoreReader(connection, schema: schema)
        var collected = try changes.collected(reader)
        if !views.hiding.isEmpty { collected.hiding = try views.takeHiding() }
        if !collected.isEmpty { try addUnloggedChange() }
        return schema.dependencies.isEmpty ? collected : try reader.withDerived(collected)
    }

    /// Registers that other processes can't see from the history alone which records this
    /// transaction has changed.
    func addUnloggedChange() throws {
        written.add(unlogged: try UnloggedChanges(connection: connection).add())
    }

    override func finish() throws {
        precondition(!hasUnwrittenChanges, "Write the changes before the transaction ends.")
        precondition(areViewsSettled, "Apply the view rules before the transaction ends.")
        if usesJournal, conflicts.hasUnwritten { try conflicts.write() }
        if usesStamps, logStamps.hasFoundRemoved {
            try StampCounters(connection: connection).countFinding()
        }
        try super.finish()
    }
}

extension Store {
    /// Runs a body in one write transaction. State that must not come from memory is read inside
    /// it. If the body throws, everything is rolled back (invariant 4).
    func write<Result>(_ body: (StateTransaction) throws -> Result) throws -> Result {
        try write(in: StateTransaction.self, body)
    }
}
