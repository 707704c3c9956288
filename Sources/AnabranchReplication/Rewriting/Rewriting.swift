/// New names and times for change sets, and what follows from them for every other set.
///
/// A set is rewritten where its dot is another replica's by now (its history forked), where its
/// timestamp lay beyond every clock, or where a log holds it in another form. Its records, its
/// tags and its place in contexts are mentioned by later sets, which follow. Origins never change:
/// one origin stays one save (invariant 3).
public struct Rewriting: Sendable {
    /// What one set becomes.
    public struct Name: Hashable, Sendable {
        public var dot: Dot
        public var timestamp: HybridTimestamp

        public init(dot: Dot, timestamp: HybridTimestamp) {
            self.dot = dot
            self.timestamp = timestamp
        }
    }

    private var names: [Dot: Name] = [:]
    private var stamps: [Stamp: Stamp] = [:]
    /// Where a renamed history leaves the one whose name it had: the last dot that both share.
    private var forks: [Dot: CausalContext.Entry] = [:]
    /// Records that were born in renamed sets, under their old and new identities.
    public private(set) var records: [RecordID: RecordID] = [:]

    public init() {}

    public var isEmpty: Bool { names.isEmpty }

    /// What a set becomes; `nil` where it keeps its name and time.
    public subscript(dot: Dot) -> Name? { names[dot] }

    /// Gives a set another name or time. Call it for every such set before rewriting any.
    ///
    /// - Throws: ``ChangeSetDecodingError`` where the set's own payload can't be read.
    public mutating func rename(
        _ set: ChangeSet, to name: Name
    ) throws(ChangeSetDecodingError) {
        guard noteName(of: set, name) else { return }
        for block in try set.decodedPayload().blocks { noteRecords(of: block, name) }
    }

    /// As ``rename(_:to:)``, also of saves in parts.
    public mutating func rename(
        _ set: ChangeSet, to name: Name, _ parts: some PartReading
    ) throws {
        guard noteName(of: set, name) else { return }
        try set.forEachBlock(parts) { noteRecords(of: $0, name) }
    }

    private mutating func noteRecords(of block: ChangeBlock, _ name: Name) {
        guard case .insert(let rows) = block else { return }
        for record in rows.records {
            records[record] = RecordID(replica: name.dot.replica, number: record.number)
        }
    }

    /// - Returns: Whether records that are born in the set get other names.
    private mutating func noteName(of set: ChangeSet, _ name: Name) -> Bool {
        names[set.dot] = name
        stamps[set.stamp] = Stamp(timestamp: name.timestamp, replica: name.dot.replica)
        guard name.dot.replica != set.dot.replica else { return false }
        // What was declared lost does not say what it continues.
        if name.dot.sequence == 1, set.dot.sequence > 1, set.kind != .lost {
            forks[set.dot] = CausalContext.Entry(
                dot: Dot(replica: set.dot.replica, sequence: set.dot.sequence - 1),
                originPrefix: set.previousOrigin.prefix)
        }
        return true
    }

    /// As ``rewritten(_:)``, also of saves in parts: a part that changes is kept as another.
    public func rewritten(_ set: ChangeSet, _ parts: some PartKeeping) throws -> ChangeSet {
        guard set.kind == .saveInParts else { return try rewritten(set) }
        let name = names[set.dot] ?? Name(dot: set.dot, timestamp: set.timestamp)
        let old = try set.parts()
        let new = try old.map { part in
            let payload = try ChangePayload(
                decoding: try parts.bytes(of: part), author: set.dot.replica)
            try checkIsKnown(payload, of: set)
            let rewritten = ChangePayload(blocks: payload.blocks.map(rewritten))
            guard rewritten != payload || name.dot.replica != set.dot.replica else { return part }
            return try parts.keep(rewritten.written(author: name.dot.replica))
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

    /// The set under its new name, and with what it mentions under theirs.
    ///
    /// - Returns: The set itself where nothing of it changes.
    public func rewritten(_ set: ChangeSet) throws(ChangeSetDecodingError) -> ChangeSet {
        let name = names[set.dot] ?? Name(dot: set.dot, timestamp: set.timestamp)
        let context = rewritten(set.context)
        guard set.kind != .saveInParts else {
            throw ByteReader([]).failure(.inParts, "\(set.dot) is a save in parts")
        }
        guard set.kind == .save else { return renamed(set, name, context) }
        let old = try set.decodedPayload()
        try checkIsKnown(old, of: set)
        let new = ChangePayload(blocks: old.blocks.map(rewritten))
        let isRenamed = name.dot != set.dot || name.timestamp != set.timestamp
        guard isRenamed || new != old else {
            var kept = set
            kept.context = context
            return kept
        }
        return ChangeSet(
            rewriting: set, dot: name.dot, timestamp: name.timestamp,
            payload: new.encoded(author: name.dot.replica), context: context)
    }

    /// An entry that mentions nothing but itself.
    private func renamed(
        _ set: ChangeSet, _ name: Name, _ context: CausalContext
    ) -> ChangeSet {
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

    /// What an operation of a later format mentions can't be given other names.
    private func checkIsKnown(
        _ payload: ChangePayload, of set: ChangeSet
    ) throws(ChangeSetDecodingError) {
        for case .unknown(let operation, _) in payload.blocks {
            throw ByteReader([]).failure(
                .unsupportedVersion,
                "\(set.dot) has operation \(operation), which is not known here; update the app")
        }
    }

    private func rewritten(_ context: CausalContext) -> CausalContext {
        guard !names.isEmpty else { return context }
        var entries: [CausalContext.Entry] = []
        for entry in context.beyond {
            guard let name = names[entry.dot] else {
                entries.append(entry)
                continue
            }
            entries.append(.init(dot: name.dot, originPrefix: entry.originPrefix))
            if let base = base(of: entry.dot, as: name.dot) { entries.append(base) }
        }
        return CausalContext(prefix: context.prefix, beyond: entries)
    }

    /// Whoever held a renamed set held what its history shares with the one that it left.
    private func base(of dot: Dot, as new: Dot) -> CausalContext.Entry? {
        guard new.replica != dot.replica, dot.sequence >= new.sequence else { return nil }
        let first = Dot(replica: dot.replica, sequence: dot.sequence - new.sequence + 1)
        guard var base = forks[first] else { return nil }
        if let name = names[base.dot] { base.dot = name.dot }
        return base
    }

    public func rewritten(_ record: RecordID) -> RecordID { records[record] ?? record }

    public func rewritten(_ stamp: Stamp) -> Stamp { stamps[stamp] ?? stamp }

    func rewritten(_ seen: [Stamp]) -> [Stamp] { seen.map(rewritten) }
}
