import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Applies change sets from other replicas, one after the other, within one transaction.
struct ApplyOperation {
    let transaction: WriteTransaction
    var changes: ChangeCollector
    let isReplaying: Bool
    let journal: ConflictJournal
    let deferred: DeferredRows
    let held: HeldRecords
    let logStamps: LogStamps

    var arrivals: Arrivals { transaction.arrivals }
    var connection: Connection { transaction.connection }
    var log: ChangeLog { transaction.log }
    var schema: StoreSchema { transaction.schema }
    private var disabled: Set<Mechanism> { transaction.environment.disabled }

    /// Begins to apply change sets.
    ///
    /// - Parameter isReplaying: True if the change sets were applied before.
    init(
        _ transaction: WriteTransaction, changes: ChangeCollector = ChangeCollector(),
        isReplaying: Bool = false
    ) {
        self.isReplaying = isReplaying
        self.transaction = transaction
        self.changes = changes
        journal =
            isReplaying ? ConflictJournal(silentIn: transaction) : transaction.journal
        deferred = transaction.deferred
        logStamps = transaction.logStamps
        held = transaction.held
    }

    mutating func apply(_ set: ChangeSet, at place: CausalContext.Prefix) throws {
        if try recordEcho(of: set, at: place) { return }
        if try meetLoss(of: set, at: place) { return }
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        try checkContinues(set, ordinal: ordinal)
        try renameWaiting(set.dot)
        try append(set, ordinal: ordinal, at: place)
    }

    /// Appends a change set to the log and applies it to the rows.
    ///
    /// - Parameter place: The position in the zone's log; `nil` if it is not known.
    mutating func append(
        _ set: ChangeSet, ordinal: Int64, at place: CausalContext.Prefix?
    ) throws {
        try addOwnHistory(of: set.dot.replica)
        arrivals.add(set.dot, set.origin)
        if !disabled.contains(.clockObservation) {
            transaction.state.clock.observe(set.timestamp)
        }
        // The log entry comes first, because the conflict journal looks up authors in the log.
        let position = try log.append(set, ordinal: ordinal, place: place)
        try transaction.setHead(of: ordinal, sequence: set.dot.sequence, origin: set.origin)
        try applyPayload(of: IncomingSet(set, ordinal: ordinal, position: position))
    }

    /// Requests a new replica ID if a change set of this replica arrives that this file does not
    /// hold: the file was restored or copied.
    func addOwnHistory(of replica: ReplicaID) throws {
        guard try replica == transaction.ownReplica(), !disabled.contains(.identityRenewal)
        else { return }
        transaction.state.isRenewing = true
    }

    /// Recognizes a change set that the file already holds, and records its zone position.
    ///
    /// - Returns: True if the file holds the change set.
    private mutating func recordEcho(of set: ChangeSet, at place: CausalContext.Prefix) throws
        -> Bool
    {
        guard !disabled.contains(.originEcho) else { return false }
        let statement = try connection.cached(
            "SELECT position, digest FROM ab_changeset WHERE origin = ?")
        try statement.bind(set.origin.bytes, at: 1)
        guard try statement.step() else { return false }
        let position = statement.int64(at: 0)
        let hasSameForm = statement.bytes(at: 1) == set.digest.bytes
        statement.reset()
        if try !isCounted(set) {
            // The entry waited in the log and was not applied. A repair may have named its
            // position.
            if let held = try log.entry(at: position)?.changeSet, held.dot != set.dot {
                try moveWaiting(held, to: set.dot, set.timestamp)
            }
            try log.forget(position)
            return false
        }
        if !hasSameForm, !disabled.contains(.formAdoption) {
            try replaceByZoneForm(set, at: place, heldAt: position)
        }
        try ZonePositions(transaction).record(place, ofSetAt: position)
        return true
    }

    /// True if a change set of the log has been applied. Only a snapshot leaves entries in the log
    /// that wait for their predecessors, or for the zone to rename their branch.
    private func isCounted(_ set: ChangeSet) throws -> Bool {
        guard transaction.state.start != nil else { return true }
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        return try set.dot.sequence <= transaction.head(of: ordinal).sequence
    }

    /// Checks that a change set continues the held history of its replica without a gap (invariant
    /// 1).
    private mutating func checkContinues(_ set: ChangeSet, ordinal: Int64) throws {
        if set.dot.sequence <= (try transaction.head(of: ordinal)).sequence {
            try renameBranch(set.dot)
        }
        let head = try transaction.head(of: ordinal)
        guard !disabled.contains(.gapCheck) else { return }
        guard set.dot.sequence == head.sequence + 1 else {
            throw StoreError(
                .sequenceGap,
                "Can't apply \(set.dot) because the store does not hold number "
                    + "\(head.sequence + 1) of its replica. Pull again.",
                path: transaction.store.path)
        }
        guard try set.previousOrigin == head.origin || beginsRenamedHistory(set) || followsLoss(set)
        else {
            // No digest covers the predecessor that a rewritten change set names. Damage, which a
            // new pull fixes, is more likely than another history.
            throw set.rewrittenFrom == nil ? forked(set) : damaged(set)
        }
    }

    /// True for the first change set of a renamed history that continues the history it left.
    private func beginsRenamedHistory(_ set: ChangeSet) throws -> Bool {
        guard set.dot.sequence == 1, set.rewrittenFrom != nil else { return false }
        // A snapshot may include the change set at which the histories separate; the zone has
        // checked it.
        guard transaction.state.start == nil else { return true }
        let found = try connection.firstValue(
            "SELECT 1 FROM ab_changeset WHERE origin = ?", .blob(set.previousOrigin.bytes))
        guard found == nil, let left = set.rewrittenFrom?.predecessor else { return found != nil }
        // The predecessor may have been removed from this file's log.
        let head = try transaction.head(of: try transaction.ordinal(of: left.replica))
        return try left.sequence <= head.sequence && log.entry(named: left) == nil
    }

    private func damaged(_ set: ChangeSet) -> StoreError {
        StoreError(
            .malformedChangeSet,
            "Can't apply \(set.dot) because its predecessor is not the one that the store holds. "
                + "Pull again.",
            path: transaction.store.path)
    }

    private func forked(_ set: ChangeSet) -> StoreError {
        StoreError(
            .forked,
            "Can't apply \(set.dot) because this store holds another history of its replica.",
            path: transaction.store.path)
    }

    /// Applies the content of a change set.
    ///
    /// - Parameter part: Returns the part of a block to apply; `nil` for none.
    mutating func applyPayload(
        of incoming: IncomingSet, part: (ChangeBlock) -> ChangeBlock? = { $0 }
    ) throws {
        let set = incoming.changeSet
        if set.kind == .save {
            return try apply(try decoder(of: set.payload, set), of: incoming, part: part)
        }
        let table = PartTable(connection)
        for listed in try reading(set, { () throws(ChangeSetDecodingError) in try set.parts() }) {
            if disabled.contains(.partStaging), try !table.isWhole(listed) { continue }
            // Only the decoder holds the bytes, so that it can free them.
            try apply(
                try decoder(of: try table.bytes(of: listed), set), of: incoming, part: part)
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

    /// The layout of an entity; `nil` if its records are kept as those of an unknown entity, which
    /// includes abstract entities.
    func layout(named name: WireName) -> EntityLayout? {
        guard let entity = schema.model.entity(wireName: name), !entity.isAbstract else {
            return nil
        }
        return schema.layout(of: entity)
    }

    private mutating func apply(_ block: ChangeBlock, of set: IncomingSet) throws {
        try transaction.views.willApply(block, layout(named:))
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

/// A change set while it is applied, with its stamp in local form.
struct IncomingSet {
    let changeSet: ChangeSet
    let stamp: LocalStamp
    /// The position in this file's log.
    let position: Int64

    init(_ changeSet: ChangeSet, ordinal: Int64, position: Int64) {
        self.changeSet = changeSet
        stamp = LocalStamp(
            timestamp: changeSet.timestamp.rawValue, ordinal: ordinal)
        self.position = position
    }
}
