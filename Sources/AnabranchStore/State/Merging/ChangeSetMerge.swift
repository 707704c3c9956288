import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Merges the contents of change sets into the records, one after the other, within one
/// transaction.
struct ChangeSetMerge {
    let transaction: StateTransaction
    var changes: ChangeCollector
    let isReplaying: Bool
    let journal: ConflictRecorder
    let deferred: DeferredRows
    let held: HeldRecords
    let logStamps: LogStamps
    /// The records of which it is decided at the end of the change set whether they are dead; `nil`
    /// if there are none.
    var lives: ChangedLives?

    var connection: Connection { transaction.connection }
    var log: ChangeLog { transaction.log }
    var schema: StoreSchema { transaction.schema }

    /// Begins to merge.
    ///
    /// - Parameter isReplaying: True if the change sets were merged before, so that their losses
    ///   are already recorded.
    init(
        _ transaction: StateTransaction, changes: ChangeCollector = ChangeCollector(),
        isReplaying: Bool = false
    ) {
        self.transaction = transaction
        self.isReplaying = isReplaying
        self.changes = changes
        journal =
            isReplaying ? ConflictRecorder(silentIn: transaction) : transaction.journal
        deferred = transaction.deferred
        logStamps = transaction.logStamps
        held = transaction.held
    }

    /// Merges the content of a change set. Call ``StateTransaction/writeChanges()`` after the last
    /// one, before anything else reads the state.
    ///
    /// - Parameter part: Returns the part of a block to merge; `nil` for none.
    mutating func merge(
        _ incoming: IncomingSet, part: (ChangeBlock) -> ChangeBlock? = { $0 }
    ) throws {
        try apply(incoming, part: part)
        if let lives { try settle(lives, of: incoming) }
    }

    private mutating func apply(
        _ incoming: IncomingSet, part: (ChangeBlock) -> ChangeBlock?
    ) throws {
        let set = incoming.changeSet
        if set.kind == .save {
            return try apply(try decoder(of: set.payload, set), of: incoming, part: part)
        }
        let table = PartTable(connection)
        for listed in try reading(set, { () throws(ChangeSetDecodingError) in try set.parts() }) {
            if !Mechanism.partStaging.isOn, try !table.isWhole(listed) { continue }
            // Only the decoder holds the bytes, so that it can free them.
            try apply(try decoder(of: try table.bytes(of: listed), set), of: incoming, part: part)
        }
    }

    private func decoder(
        of payload: consuming [UInt8], _ set: ChangeSet
    ) throws -> ChangePayloadDecoder {
        do throws(ChangeSetDecodingError) {
            return try ChangePayloadDecoder(payload, author: set.dot.replica)
        } catch {
            throw malformed(set, error)
        }
    }

    private mutating func apply(
        _ start: consuming ChangePayloadDecoder, of incoming: IncomingSet,
        part: (ChangeBlock) -> ChangeBlock?
    ) throws {
        let set = incoming.changeSet
        var decoder = start
        while let block = try reading(
            set, { () throws(ChangeSetDecodingError) in try decoder.next() })
        {
            if let part = part(block) { try apply(part, of: incoming) }
        }
    }

    /// Reports content of a change set that cannot be decoded as an error of its sender.
    private func reading<Result>(
        _ set: ChangeSet, _ body: () throws(ChangeSetDecodingError) -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw malformed(set, error)
        }
    }

    private func malformed(_ set: ChangeSet, _ error: ChangeSetDecodingError) -> StoreError {
        StoreError(
            .malformedChangeSet, "Can't apply \(set.dot): \(error)",
            path: transaction.store.path, underlying: error)
    }

    private mutating func apply(_ block: ChangeBlock, of set: IncomingSet) throws {
        if !block.isAddition { try transaction.indexes.createAgain() }
        if schema.hasViewRules {
            try transaction.views.willApply(block) { schema.recordLayout(named: $0) }
        }
        try transaction.views.willApplyValues(of: block) { schema.recordLayout(named: $0) }
        if schema.hasLinks { try transaction.views.willApplyFormerLinks(of: block) }
        switch block {
        case .insert(let rows): try insert(rows, of: set)
        case .update(let rows): try update(rows, of: set)
        case .delete(let records): try delete(records, of: set)
        case .link(let links): try link(links, of: set)
        case .unlink(let links): try unlink(links, of: set)
        case .move(let links): try move(links, of: set)
        case .add(let rows): try add(rows, of: set)
        case .write(let siblings): try write(siblings, of: set)
        case .yieldingDelete(let deletes): try delete(deletes, of: set)
        case .unknown: break  // The log keeps it for a version that knows it.
        }
    }
}

extension ChangeBlock {
    /// Indicates whether the block only adds records or links. Its merge finds rows by their
    /// primary keys, and needs none of the ``SyncedIndexes``.
    fileprivate var isAddition: Bool {
        switch self {
        case .insert, .link: true
        default: false
        }
    }
}
