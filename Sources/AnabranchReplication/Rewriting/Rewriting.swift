/// New dots and timestamps for change sets, and their consequences for all other change sets.
///
/// A change set is rewritten if its history forked or its timestamp was too far in the future.
/// Another reason is that a log has it in another form. Later change sets mention its records, its
/// tags and its dot, and these mentions follow. If it moves to another history, they follow in the
/// change sets with contexts that name the part that moves: the others mention what another branch
/// has under the same names. Origins never change: one origin stays one save (invariant 3).
package struct Rewriting: Sendable {
    /// The new dot and timestamp of one change set.
    package struct Name: Hashable, Sendable {
        package var dot: Dot
        /// The new time of every write of the save.
        package var timestamp: HybridTimestamp

        package init(dot: Dot, timestamp: HybridTimestamp) {
            self.dot = dot
            self.timestamp = timestamp
        }
    }

    private var names: [Dot: Name] = [:]
    /// The origins of the renamed change sets, which tell them from those of other branches.
    private var origins: [Dot: UInt64] = [:]
    /// True if a change set moves to another replica's history.
    private var hasMoves = false
    private var stamps: [Stamp: Stamp] = [:]
    /// The fork positions of renamed histories: the last change set that both branches share, by
    /// the first renamed dot.
    private var forks: [Dot: CausalContext.Entry] = [:]
    /// The new identities of the records that were inserted in renamed change sets, by their old
    /// identities.
    package private(set) var records: [RecordID: RecordID] = [:]
    /// Renamed histories with a rejected save, by their old replica ID.
    private var rejected: [ReplicaID: RejectedHistory] = [:]

    /// A history with a void, which does not say which records the rejected save had inserted.
    private struct RejectedHistory {
        let new: ReplicaID
        /// The records that keep their identities.
        let kept: Set<RecordID>
    }

    package init() {}

    /// Indicates whether no change set was renamed or restamped.
    package var isEmpty: Bool { names.isEmpty }

    /// The new name of a change set, or `nil` if it keeps its dot and timestamp.
    package subscript(dot: Dot) -> Name? { names[dot] }

    /// Records the new dot and timestamp of a change set. Call it for all change sets before
    /// rewriting any.
    ///
    /// - Throws: ``ChangeSetDecodingError`` if the payload can't be read, or the error of `parts`.
    package mutating func rename(
        _ set: ChangeSet, to name: Name, _ parts: some PartReading
    ) throws {
        guard addName(of: set, name) else { return }
        try set.forEachBlock(parts) { addRecords(of: $0, name) }
    }

    /// Renames the records that rejected saves of a history have inserted.
    ///
    /// Later change sets may mention them. If they kept the old identities, the mentions would be
    /// of records that another branch of the history inserted.
    ///
    /// - Parameters:
    ///   - replica: The old replica ID of a renamed void.
    ///   - new: Its new replica ID.
    ///   - kept: The records that the change sets before it inserted.
    package mutating func renameRejectedRecords(
        of replica: ReplicaID, to new: ReplicaID, keeping kept: Set<RecordID>
    ) {
        guard rejected[replica] == nil else { return }
        rejected[replica] = RejectedHistory(new: new, kept: kept)
    }

    private mutating func addRecords(of block: ChangeBlock, _ name: Name) {
        guard case .insert(let rows) = block else { return }
        for record in rows.records {
            records[record] = RecordID(replica: name.dot.replica, number: record.number)
        }
    }

    /// Records a change set's new name.
    ///
    /// - Returns: `true` if the records that the change set inserted get new identities.
    private mutating func addName(of set: ChangeSet, _ name: Name) -> Bool {
        names[set.dot] = name
        origins[set.dot] = set.origin.prefix
        stamps[set.stamp] = Stamp(timestamp: name.timestamp, replica: name.dot.replica)
        guard name.dot.replica != set.dot.replica else { return false }
        hasMoves = true
        // The entry of a change set declared lost does not name its predecessor.
        if name.dot.sequence == 1, set.dot.sequence > 1, set.kind != .lost {
            forks[set.dot] = CausalContext.Entry(
                dot: Dot(replica: set.dot.replica, sequence: set.dot.sequence - 1),
                originPrefix: set.previousOrigin.prefix)
        }
        return true
    }

    /// Rewrites a change set, which may be a save in parts. A part that changes is stored as a new
    /// part.
    ///
    /// - Returns: The change set itself if nothing of it changes.
    /// - Throws: ``ChangeSetDecodingError`` if the payload can't be read or has an unknown
    ///   operation, or the error of `parts`.
    package func rewritten(_ set: ChangeSet, _ parts: some PartStore) throws -> ChangeSet {
        guard set.kind == .saveInParts else { return try rewritten(set) }
        let name = names[set.dot] ?? Name(dot: set.dot, timestamp: set.timestamp)
        let mentions = mentions(in: set)
        let old = try set.parts()
        let new = try old.map { part in
            let (payload, isChanged) = try mentions.rewritten(
                payload: try parts.bytes(of: part), of: set, by: name.dot.replica)
            guard isChanged || name.dot.replica != set.dot.replica else { return part }
            return try parts.keep(payload)
        }
        let context = rewritten(set.context)
        guard new != old || name.dot != set.dot || name.timestamp != set.timestamp else {
            var kept = set
            kept.context = context
            return kept
        }
        return ChangeSet(
            rewriting: set, dot: name.dot, timestamp: name.timestamp,
            payload: PartList(new).encoded(), context: context)
    }

    /// Rewrites a change set and everything that it mentions.
    ///
    /// - Returns: The change set itself if nothing of it changes.
    /// - Throws: ``ChangeSetDecodingError``: `inParts` for a save in parts, `unsupportedVersion`
    ///   for an unknown operation, other codes for a damaged payload.
    package func rewritten(_ set: ChangeSet) throws(ChangeSetDecodingError) -> ChangeSet {
        let name = names[set.dot] ?? Name(dot: set.dot, timestamp: set.timestamp)
        let context = rewritten(set.context)
        guard set.kind != .saveInParts else {
            throw ByteReader([]).failure(.inParts, "\(set.dot) is a save in parts")
        }
        guard set.kind == .save else { return renamed(set, name, context) }
        let (payload, isChanged) = try mentions(in: set).rewritten(
            payload: set.payload, of: set, by: name.dot.replica)
        let isRenamed = name.dot != set.dot || name.timestamp != set.timestamp
        guard isRenamed || isChanged else {
            var kept = set
            kept.context = context
            return kept
        }
        return ChangeSet(
            rewriting: set, dot: name.dot, timestamp: name.timestamp,
            payload: payload.bytes, context: context)
    }

    /// Rewrites what the blocks of a change set mention. One decoded block is in memory at a time.
    ///
    /// - Returns: The encoded blocks, and false if they are those of the change set.
    private func rewritten(
        payload: [UInt8], of set: ChangeSet, by author: ReplicaID
    ) throws(ChangeSetDecodingError) -> (payload: ByteWriter, isChanged: Bool) {
        var decoder = try ChangePayloadDecoder(payload, author: set.dot.replica)
        var encoder = ChangePayloadEncoder(author: author)
        var isChanged = false
        while let block = try decoder.next() {
            try checkIsKnown(block, of: set)
            let new = rewritten(block)
            isChanged = isChanged || new != block
            encoder.append(new)
        }
        return (encoder.finished(), isChanged)
    }

    /// Rewrites an entry that mentions only itself.
    private func renamed(_ set: ChangeSet, _ name: Name, _ context: CausalContext) -> ChangeSet {
        guard name.dot != set.dot || name.timestamp != set.timestamp else {
            var kept = set
            kept.context = context
            return kept
        }
        if set.kind == .lost { return ChangeSet(lost: name.dot) }
        return ChangeSet(
            rewriting: set, dot: name.dot, timestamp: name.timestamp, payload: set.payload,
            context: context)
    }

    /// Refuses an operation of a later format, because its mentions are unknown.
    private func checkIsKnown(
        _ block: ChangeBlock, of set: ChangeSet
    ) throws(ChangeSetDecodingError) {
        guard case .unknown(let operation, _) = block else { return }
        throw ByteReader([]).failure(
            .unsupportedVersion,
            "\(set.dot) has operation \(operation), which this version does not know; "
                + "update the app")
    }

    // MARK: - Other branches

    /// The new name of a change set that a context names. The context may name one of another
    /// branch by the same dot.
    private func name(of entry: CausalContext.Entry) -> Name? {
        guard let name = names[entry.dot], let origin = origins[entry.dot] else { return nil }
        let renamed = CausalContext.Entry(dot: entry.dot, originPrefix: origin)
        return origin == entry.originPrefix || entry.namesLoss || renamed.namesLoss ? name : nil
    }

    /// The rewriting of the records and stamps that a change set mentions.
    private func mentions(in set: ChangeSet) -> Rewriting {
        guard hasMoves, !moves(set.dot, names[set.dot]),
            !set.context.beyond.contains(where: { moves($0.dot, name(of: $0)) })
        else { return self }
        var restamping = self
        restamping.records = [:]
        restamping.rejected = [:]
        restamping.stamps = stamps.filter { $0.key.replica == $0.value.replica }
        return restamping
    }

    private func moves(_ dot: Dot, _ name: Name?) -> Bool {
        name.map { $0.dot.replica != dot.replica } ?? false
    }

    // MARK: - Mentions

    /// The causal context with the new names of renamed change sets.
    package func rewritten(_ context: CausalContext) -> CausalContext {
        guard !names.isEmpty else { return context }
        var entries: [CausalContext.Entry] = []
        for entry in context.beyond {
            guard let name = name(of: entry) else {
                entries.append(entry)
                continue
            }
            entries.append(.init(dot: name.dot, originPrefix: entry.originPrefix))
            if let base = base(of: entry.dot, as: name.dot) { entries.append(base) }
        }
        return CausalContext(prefix: context.prefix, beyond: entries)
    }

    /// The entry for the last change set that the two branches share. The author of a renamed
    /// change set held that one too.
    private func base(of dot: Dot, as new: Dot) -> CausalContext.Entry? {
        guard new.replica != dot.replica, dot.sequence >= new.sequence else { return nil }
        let first = Dot(replica: dot.replica, sequence: dot.sequence - new.sequence + 1)
        guard var base = forks[first] else { return nil }
        if let name = names[base.dot] { base.dot = name.dot }
        return base
    }

    /// The new identity of a record, or the same one if it keeps it.
    package func rewritten(_ record: RecordID) -> RecordID {
        if let new = records[record] { return new }
        guard let history = rejected[record.replica], !history.kept.contains(record) else {
            return record
        }
        return RecordID(replica: history.new, number: record.number)
    }

    /// The new stamp of a write, or the same one if it keeps it.
    package func rewritten(_ stamp: Stamp) -> Stamp { stamps[stamp] ?? stamp }

    func rewritten(_ seen: [Stamp]) -> [Stamp] { seen.map(rewritten) }
}
