import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Change sets of others, applied one after the other within one transaction.
struct ApplyOperation {
    let transaction: WriteTransaction
    var changes: ChangeCollector
    let isReplaying: Bool
    let journal: ConflictJournal
    let deferred: DeferredRows
    let held: HeldRecords
    let logStamps: LogStamps
    /// Sets that were applied, for those that have waited for them.
    var arrived: [(dot: Dot, origin: Digest)] = []
    /// Sets that had waited, and turned out to be what a snapshot stands for.
    var beneathSnapshotCount = 0
    /// Whether sets got other names or times.
    var hasRewritten = false

    var connection: Connection { transaction.connection }
    var log: ChangeLog { transaction.log }
    var schema: StoreSchema { transaction.schema }
    private var disabled: Set<Mechanism> { transaction.environment.disabled }

    /// - Parameter isReplaying: Whether sets are applied that were applied before.
    init(
        _ transaction: WriteTransaction, changes: ChangeCollector = ChangeCollector(),
        isReplaying: Bool = false
    ) {
        self.isReplaying = isReplaying
        self.transaction = transaction
        self.changes = changes
        journal = ConflictJournal(transaction, isSilent: isReplaying)
        deferred = DeferredRows(transaction)
        logStamps = LogStamps(transaction.connection)
        held = HeldRecords(
            transaction.connection, schema: transaction.schema, deferred: deferred)
    }

    mutating func apply(_ set: ChangeSet, at place: CausalContext.Prefix) throws {
        if try noteEcho(of: set, at: place) { return }
        if try meetLoss(of: set, at: place) { return }
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        try checkContinues(set, ordinal: ordinal)
        try takeIn(set, ordinal: ordinal, at: place)
    }

    /// Writes a set into the log, and what it says into the rows.
    ///
    /// - Parameter place: Where the zone's log has it; `nil` where that is not known.
    mutating func takeIn(
        _ set: ChangeSet, ordinal: Int64, at place: CausalContext.Prefix?
    ) throws {
        try noteOwnHistory(of: set.dot.replica)
        arrived.append((set.dot, set.origin))
        if !disabled.contains(.clockObservation) {
            transaction.state.clock.observe(set.timestamp)
        }
        // Into the log first: the journal finds there who wrote what.
        let position = try log.append(set, ordinal: ordinal, place: place)
        try transaction.setHead(of: ordinal, sequence: set.dot.sequence, origin: set.origin)
        try applyPayload(of: IncomingSet(set, ordinal: ordinal, position: position))
    }

    /// A set of our own that we do not hold: the file was restored, or has a twin.
    func noteOwnHistory(of replica: ReplicaID) throws {
        guard try replica == transaction.ownReplica(), !disabled.contains(.identityRenewal)
        else { return }
        transaction.state.isRenewing = true
    }

    /// - Returns: Whether the file holds the set; its place in the zone's log is then noted.
    private mutating func noteEcho(of set: ChangeSet, at place: CausalContext.Prefix) throws -> Bool
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
            // It waited for its predecessors, and was not applied. A repair may have named it.
            try log.forget(position)
            return false
        }
        if !hasSameForm, !disabled.contains(.formAdoption) {
            try adopt(set, at: place, heldAt: position)
        }
        try ZonePlaces(connection).note(place, ofSetAt: position)
        journal.forgetPlaces()
        return true
    }

    /// Only a snapshot leaves sets in the log that wait for what comes before them.
    private func isCounted(_ set: ChangeSet) throws -> Bool {
        guard transaction.state.start != nil else { return true }
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        return try set.dot.sequence <= transaction.head(of: ordinal).sequence
    }

    /// A replica's sets are held without gaps, and of one history (invariant 1).
    private mutating func checkContinues(_ set: ChangeSet, ordinal: Int64) throws {
        if set.dot.sequence <= (try transaction.head(of: ordinal)).sequence {
            try yieldName(set.dot)
        }
        let head = try transaction.head(of: ordinal)
        guard !disabled.contains(.gapCheck) else { return }
        guard set.dot.sequence == head.sequence + 1 else {
            throw StoreError(
                .sequenceGap,
                "Can't apply \(set.dot) because sequence \(head.sequence + 1) of its replica is "
                    + "not held.", path: transaction.store.path)
        }
        guard try set.previousOrigin == head.origin || beginsRenamedHistory(set) || followsLoss(set)
        else {
            // No digest covers what a rewritten set says of its predecessor: more likely than
            // another history is damage, which asking again mends.
            throw set.rewrittenFrom == nil ? forked(set) : damaged(set)
        }
    }

    /// The first set of a renamed history continues the one that it left.
    private func beginsRenamedHistory(_ set: ChangeSet) throws -> Bool {
        guard set.dot.sequence == 1, set.rewrittenFrom != nil else { return false }
        // A snapshot may stand for the set that it left from; the zone has looked.
        guard transaction.state.start == nil else { return true }
        let found = try connection.firstValue(
            "SELECT 1 FROM ab_changeset WHERE origin = ?", .blob(set.previousOrigin.bytes))
        guard found == nil, let left = set.rewrittenFrom?.predecessor else { return found != nil }
        // It may have left this file's log.
        let head = try transaction.head(of: try transaction.ordinal(of: left.replica))
        return try left.sequence <= head.sequence && log.entry(named: left) == nil
    }

    private func damaged(_ set: ChangeSet) -> StoreError {
        StoreError(
            .malformedChangeSet,
            "Can't apply \(set.dot) because it names another predecessor than is held.",
            path: transaction.store.path)
    }

    private func forked(_ set: ChangeSet) -> StoreError {
        StoreError(
            .forked,
            "Can't apply \(set.dot) because this store holds another history of its replica.",
            path: transaction.store.path)
    }

    /// - Parameter part: Of each block, what is to be applied of it.
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
            // Nobody but the decoder holds the bytes, so that it can let go of them.
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

    /// Only what the set itself holds is its sender's fault.
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

    /// Where records of an entity are; `nil` where they are kept as ones of an unknown entity,
    /// which those of an abstract one are too.
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

/// A change set while it is applied, with its stamp as this file writes it.
struct IncomingSet {
    let changeSet: ChangeSet
    let stamp: LocalStamp
    /// In this file's log.
    let position: Int64

    init(_ changeSet: ChangeSet, ordinal: Int64, position: Int64) {
        self.changeSet = changeSet
        stamp = LocalStamp(
            timestamp: changeSet.timestamp.rawValue, ordinal: ordinal)
        self.position = position
    }
}
