import AnabranchReplication

/// The writes, deletes and links of some records, as the change sets in a file's log describe them.
///
/// Rows hold the result of merging; this is its input. Counters are left out, because no delta
/// loses to another.
struct RecordHistories {
    struct Register: Hashable {
        let record: RecordID
        let property: WireProperty
    }

    struct Link: Hashable {
        let left: RecordID
        let property: WireProperty
        let right: RecordID
    }

    /// The author of a change set: its dot and stamp, and what the author had seen.
    struct Author {
        /// The local position. The log is in causal order.
        let position: Int64
        let place: CausalContext.Prefix?
        let dot: Dot
        let stamp: Stamp
        let context: CausalContext
        let isRewritten: Bool
    }

    struct Write {
        let entity: WireName
        let value: PropertyValue
        let stamp: Stamp
        /// The author; `nil` if the log no longer has the change set.
        let author: Author?
    }

    private(set) var writes: [Register: [Write]] = [:]
    private(set) var deleters: [RecordID: [Author]] = [:]
    private(set) var adds: [Link: [Write]] = [:]
    private(set) var removedTags: [Link: Set<Stamp>] = [:]
    private let schema: StoreSchema

    /// Reads the histories of records. The writes of a former property count as writes of the
    /// property that shows them.
    ///
    /// - Parameter forEachEntry: Reads a log, oldest first.
    init(
        of records: Set<RecordID>, _ schema: StoreSchema, _ parts: PartTable,
        _ forEachEntry: ((StoredLogEntry) throws -> Void) throws -> Void
    ) throws {
        self.schema = schema
        try forEachEntry { entry in
            try Self.forEachBlock(of: entry, parts) { block, author in
                guard let part = block.restricted(to: records.contains) else { return }
                add(part, by: author)
            }
        }
        let ends = Set(adds.keys.flatMap { [$0.left, $0.right] }).subtracting(records)
        guard !ends.isEmpty else { return }
        try forEachEntry { entry in
            try Self.forEachBlock(of: entry, parts) { block, author in
                guard case .delete = block, let part = block.restricted(to: ends.contains) else {
                    return
                }
                add(part, by: author)
            }
        }
    }

    private static func forEachBlock(
        of entry: StoredLogEntry, _ parts: PartTable, _ body: (ChangeBlock, Author) throws -> Void
    ) throws {
        let set = entry.changeSet
        let author = Author(
            position: entry.localPosition, place: entry.place, dot: set.dot, stamp: set.stamp,
            context: set.context, isRewritten: set.rewrittenFrom != nil)
        // A change set that cannot be decoded was not applied.
        do {
            try set.forEachBlock(parts) { try body($0, author) }
        } catch is ChangeSetDecodingError {}
    }

    private mutating func add(_ block: ChangeBlock, by author: Author) {
        switch block {
        case .insert(let rows), .update(let rows): add(rows, by: author)
        case .write(let block):
            for write in block.writes {
                add(write.value, in: block.property, of: write.record, block.entity, author)
            }
        case .delete(let deleted):
            for record in deleted.records { deleters[record, default: []].append(author) }
        case .link(let links), .unlink(let links), .move(let links):
            for link in links.links { add(link, block, of: links, by: author) }
        // A yielding delete removes nothing from the state.
        case .add, .yieldingDelete, .unknown: break
        }
    }

    private mutating func add(_ rows: RowBlock, by author: Author) {
        for (property, column) in zip(rows.properties, rows.columns) {
            for (record, value) in zip(rows.records, column) {
                add(value, in: property, of: record, rows.entity, author)
            }
        }
    }

    private mutating func add(
        _ value: PropertyValue, in property: WireProperty, of record: RecordID, _ entity: WireName,
        _ author: Author
    ) {
        guard property.isMergeable, property.rule != .counter else { return }
        let (property, value) = shown(value, in: property, of: record, entity)
        writes[Register(record: record, property: property), default: []].append(
            Write(entity: entity, value: value, stamp: author.stamp, author: author))
    }

    /// The property that shows the writes of a property. Two registers are one if both have the
    /// rule by which the later write shows.
    private func shown(
        _ value: PropertyValue, in property: WireProperty, of record: RecordID, _ entity: WireName
    ) -> (WireProperty, PropertyValue) {
        let (successor, widened) = schema.shown(value, in: property, of: record, entity)
        let rules: Set<MergeRule> = [.lastWriter, .group]
        guard rules.isSuperset(of: [property.rule, successor.rule]) else {
            return (property, value)
        }
        return (successor, widened)
    }

    private mutating func add(
        _ link: LinkBlock.Link, _ block: ChangeBlock, of links: LinkBlock, by author: Author
    ) {
        let name = Link(left: link.left, property: links.property, right: link.right)
        removedTags[name, default: []].formUnion(link.observedTags)
        if case .unlink = block { return }
        adds[name, default: []].append(
            Write(
                entity: links.entity, value: .reference(link.right), stamp: author.stamp,
                author: author))
    }

    /// Adds the writes of a record that came from change sets the log does not have.
    mutating func complete(with record: CanonicalRecord) {
        for cell in record.cells
        where cell.property.isMergeable && cell.property.rule != .counter {
            let (property, value) = shown(
                cell.value, in: cell.property, of: record.id, record.entity)
            let register = Register(record: record.id, property: property)
            guard writes[register]?.contains(where: { $0.stamp == cell.stamp }) != true else {
                continue
            }
            writes[register, default: []].append(
                Write(entity: record.entity, value: value, stamp: cell.stamp, author: nil))
        }
    }
}
