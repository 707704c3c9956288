public import AnabranchReplication

/// The merge rules written down once more, as plainly as possible: the oracle of the fast ones.
///
/// Dictionaries only, one operation at a time, no batching, no interning, none of the library's
/// functions of merging. What a set does is independent of what the sets beside it do.
public struct ReferenceMerge: Sendable {
    public struct Record: Sendable {
        public var entity: WireName
        /// By stamp; several under `keepBoth` only.
        public var cells: [WireProperty: [Stamp: Value]] = [:]
        /// What deletes that updates may win against have seen.
        public var seen: Set<Stamp>?

        /// The stamps of all values but those of counters.
        public var registers: Set<Stamp> {
            Set(cells.filter { $0.key.rule != .counter }.flatMap(\.value.keys))
        }

        public var isDead: Bool { seen.map { registers.isSubset(of: $0) } ?? false }
    }

    public struct LinkKey: Hashable, Comparable, Sendable {
        public var left: RecordID
        public var property: WireProperty
        public var right: RecordID

        public static func < (one: LinkKey, other: LinkKey) -> Bool {
            (one.left, one.property, one.right) < (other.left, other.property, other.right)
        }
    }

    /// The dead among them.
    public internal(set) var records: [RecordID: Record] = [:]
    /// With the place that each tag gives the link.
    public private(set) var links: [LinkKey: [Stamp: LinkPlace]] = [:]
    private var origins: Set<Digest> = []
    private let seesAllTags: Bool
    private let upserts: Bool
    /// Mistakes of the oracle itself, to prove that tests would notice them.
    let mistakes: Set<Mistake>

    /// What the later rules forbid.
    public enum Mistake: CaseIterable, Sendable {
        /// A delete replaces what earlier ones saw.
        case forgetsSeen
        /// A dead record takes nothing in.
        case ignoresDead
        /// A `keepBoth` write takes away all values.
        case seesAllSiblings
        /// A delta replaces the value.
        case replacesCounter
        /// A move takes away all tags, also those that its author had not seen.
        case movesTakeAllTags
        /// The later write wins under every rule.
        case lastWriterOnly
    }

    /// - Parameter disabled: Of these mechanisms `linkTags` and `recordsNotHeld` mean something
    ///   here: a test switches one off to prove that it would notice.
    package init(without disabled: Set<Mechanism> = [], mistaking mistakes: Set<Mistake> = []) {
        seesAllTags = disabled.contains(.linkTags)
        upserts = disabled.contains(.recordsNotHeld)
        self.mistakes = mistakes
    }

    public init() { self.init(without: []) }

    /// - Parameter changeSet: One whose causes have all been applied. One that has been applied
    ///   before changes nothing.
    public mutating func apply(_ changeSet: ChangeSet) throws {
        guard origins.insert(changeSet.origin).inserted else { return }
        for block in try changeSet.decodedPayload().blocks { apply(block, changeSet.stamp) }
    }

    private mutating func apply(_ block: ChangeBlock, _ stamp: Stamp) {
        switch block {
        case .insert(let rows):
            for id in rows.records { records[id] = Record(entity: rows.entity) }
            write(rows, stamp)
        case .update(let rows): write(rows, stamp)
        case .add(let rows): add(rows, stamp)
        case .write(let block): write(block, stamp)
        case .delete(let block):
            for id in block.records where records[id]?.entity == block.entity { remove(id) }
        case .yieldingDelete(let block): delete(block)
        case .link(let block):
            for link in block.links { add(link, block.property, stamp) }
        case .unlink(let block): unlink(block)
        case .move(let block):
            unlink(block, seeingAll: mistakes.contains(.movesTakeAllTags))
            for link in block.links { add(link, block.property, stamp) }
        case .unknown: break
        }
    }

    private mutating func write(_ rows: RowBlock, _ stamp: Stamp) {
        for (row, id) in rows.records.enumerated() {
            if upserts, records[id] == nil { records[id] = Record(entity: rows.entity) }
            guard takes(id, rows.entity) else { continue }
            for (column, property) in rows.properties.enumerated() {
                let value = rows.columns[column][row]
                if let held = records[id]?.cells[property]?.first,
                    !isBetter((value, stamp), than: held, property.rule)
                {
                    continue
                }
                records[id]?.cells[property] = [stamp: value]
            }
        }
    }

    private mutating func add(_ link: LinkBlock.Link, _ property: WireProperty, _ stamp: Stamp) {
        guard isHeld(link.left), isHeld(link.right) else { return }
        let key = key(link, property)
        if links[key]?[stamp] == nil { links[key, default: [:]][stamp] = link.place }
    }

    private mutating func unlink(_ block: LinkBlock, seeingAll: Bool = false) {
        for link in block.links {
            let key = key(link, block.property)
            guard let held = links[key] else { continue }
            let left =
                seesAllTags || seeingAll
                ? [:] : held.filter { !link.tagsSeen.contains($0.key) }
            links[key] = left.isEmpty ? nil : left
        }
    }

    private mutating func remove(_ id: RecordID) {
        records[id] = nil
        links = links.filter { $0.key.left != id && $0.key.right != id }
    }

    /// Whether an operation on a record of this entity changes it.
    func takes(_ id: RecordID, _ entity: WireName) -> Bool {
        guard let record = records[id], record.entity == entity else { return false }
        return !(mistakes.contains(.ignoresDead) && record.isDead)
    }

    private func isHeld(_ id: RecordID) -> Bool { upserts || records[id] != nil }

    private func key(_ link: LinkBlock.Link, _ property: WireProperty) -> LinkKey {
        LinkKey(left: link.left, property: property, right: link.right)
    }

    /// The records that a reader sees, in the order of their identities.
    public var living: [RecordID] { records.filter { !$0.value.isDead }.keys.sorted() }

    /// Every list in canonical order, so that equal states are equal values.
    public var state: [RecordID: CanonicalRecord] {
        var state: [RecordID: CanonicalRecord] = [:]
        for (id, record) in records {
            let cells = record.cells.sorted { $0.key < $1.key }.flatMap { property, values in
                values.sorted { $0.key < $1.key }.map {
                    CanonicalRecord.Cell(property: property, value: $0.value, stamp: $0.key)
                }
            }
            state[id] = CanonicalRecord(
                id: id, entity: record.entity, cells: cells,
                deleteMark: record.seen.map { DeleteMark(seen: $0) })
        }
        for (key, tags) in links.sorted(by: { $0.key < $1.key }) {
            state[key.left]?.links.append(
                .init(property: key.property, right: key.right, tags: Self.linkTags(tags)))
        }
        return state
    }

    /// A record as a zone with this state answers a repair.
    public func image(of id: RecordID) -> RecordImage {
        guard let record = state[id] else { return RecordImage(id: id) }
        let incoming = links.filter { $0.key.right == id }.sorted { $0.key < $1.key }
        return RecordImage(
            id: id, record: record,
            incoming: incoming.map {
                .init(
                    left: $0.key.left, property: $0.key.property, tags: Self.linkTags($0.value))
            })
    }

    private static func linkTags(_ tags: [Stamp: LinkPlace]) -> LinkTags {
        LinkTags(placed: tags.map { LinkTags.Tag($0.key, at: $0.value) })
    }

    /// Where a link stands: as its greatest tag says.
    public func place(of key: LinkKey) -> LinkPlace? {
        links[key]?.max { $0.key < $1.key }?.value
    }

    public var canonicalHash: Digest {
        var hash = CanonicalHash()
        for (_, record) in state.sorted(by: { $0.key < $1.key }) { hash.update(record) }
        return hash.finish()
    }
}
