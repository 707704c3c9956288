package import AnabranchReplication

/// The reference model of the merge: every rule as plainly as possible, an oracle for the fast
/// code.
///
/// It uses dictionaries, applies one operation at a time, and has no batches, no interning and none
/// of the library's merge functions. The effect of a change set does not depend on the change sets
/// applied with it.
package struct ReferenceMerge: Sendable {
    /// One record with all its values.
    package struct Record: Sendable {
        /// The record's entity.
        package var entity: WireName
        /// The values by stamp. Only a `keepBoth` property has several.
        package var cells: [WireProperty: [Stamp: PropertyValue]] = [:]
        /// The stamps that the deletes under `updateWins` had seen; `nil` if there was no such
        /// delete.
        package var seen: Set<Stamp>?

        /// The stamps of all values except those of counters.
        package var registers: Set<Stamp> {
            Set(cells.filter { $0.key.rule != .counter }.flatMap(\.value.keys))
        }

        /// Whether the deletes under `updateWins` have seen all registers.
        package var isDead: Bool { seen.map { registers.isSubset(of: $0) } ?? false }
    }

    /// A link by its ends and its property.
    package struct LinkKey: Hashable, Comparable, Sendable {
        /// The record at the stored side.
        package var left: RecordID
        /// The relationship.
        package var property: WireProperty
        /// The record at the inverse side.
        package var right: RecordID

        /// Orders links by left end, property and right end.
        package static func < (one: LinkKey, other: LinkKey) -> Bool {
            (one.left, one.property, one.right) < (other.left, other.property, other.right)
        }
    }

    /// All records, dead ones included.
    package internal(set) var records: [RecordID: Record] = [:]
    /// The tags of each link, with the list positions that they give it.
    package private(set) var links: [LinkKey: [Stamp: LinkPosition]] = [:]
    private var origins: Set<Digest> = []
    private let seesAllTags: Bool
    private let upserts: Bool
    /// Deliberate mistakes of the oracle, which prove that tests would notice them.
    let mistakes: Set<Mistake>

    /// A mistake against one of the later merge rules.
    package enum Mistake: CaseIterable, Sendable {
        /// A delete replaces the stamps that earlier deletes had seen.
        case forgetsSeen
        /// A dead record ignores every write.
        case ignoresDead
        /// A `keepBoth` write removes all values.
        case seesAllSiblings
        /// A delta replaces the value.
        case replacesCounter
        /// A move removes all tags, also those that its author had not seen.
        case movesTakeAllTags
        /// The later write wins under every rule.
        case lastWriterOnly
    }

    /// - Parameter disabled: The mechanisms that are switched off, to prove that a test would
    ///   notice. Only `linkTags` and `recordsNotHeld` have an effect here.
    package init(without disabled: Set<Mechanism> = [], mistaking mistakes: Set<Mistake> = []) {
        seesAllTags = disabled.contains(.linkTags)
        upserts = disabled.contains(.recordsNotHeld)
        self.mistakes = mistakes
    }

    /// Creates an empty state.
    package init() { self.init(without: []) }

    /// Applies a change set.
    ///
    /// - Parameter changeSet: A change set whose causes have all been applied. A change set that
    ///   was applied before changes nothing.
    package mutating func apply(_ changeSet: ChangeSet) throws {
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
                ? [:] : held.filter { !link.observedTags.contains($0.key) }
            links[key] = left.isEmpty ? nil : left
        }
    }

    private mutating func remove(_ id: RecordID) {
        records[id] = nil
        links = links.filter { $0.key.left != id && $0.key.right != id }
    }

    /// Returns whether an operation on a record of this entity changes it.
    func takes(_ id: RecordID, _ entity: WireName) -> Bool {
        guard let record = records[id], record.entity == entity else { return false }
        return !(mistakes.contains(.ignoresDead) && record.isDead)
    }

    private func isHeld(_ id: RecordID) -> Bool { upserts || records[id] != nil }

    private func key(_ link: LinkBlock.Link, _ property: WireProperty) -> LinkKey {
        LinkKey(left: link.left, property: property, right: link.right)
    }

    /// The visible records, ordered by ID.
    package var living: [RecordID] { records.filter { !$0.value.isDead }.keys.sorted() }

    /// The records with every list in canonical order, so that equal states are equal values.
    package var state: [RecordID: CanonicalRecord] {
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

    /// Returns the record as a zone with this state sends it for a repair.
    package func image(of id: RecordID) -> RecordImage {
        guard let record = state[id] else { return RecordImage(id: id) }
        let incoming = links.filter { $0.key.right == id }.sorted { $0.key < $1.key }
        return RecordImage(
            id: id, record: record,
            incoming: incoming.map {
                .init(
                    left: $0.key.left, property: $0.key.property, tags: Self.linkTags($0.value))
            })
    }

    private static func linkTags(_ tags: [Stamp: LinkPosition]) -> LinkTags {
        LinkTags(placed: tags.map { LinkTags.Tag($0.key, at: $0.value) })
    }

    /// Returns a link's list position, which its greatest tag has.
    package func place(of key: LinkKey) -> LinkPosition? {
        links[key]?.max { $0.key < $1.key }?.value
    }

    /// The hash of the whole state, which equal states share.
    package var canonicalHash: Digest {
        var hash = CanonicalHash()
        for (_, record) in state.sorted(by: { $0.key < $1.key }) { hash.update(record) }
        return hash.finish()
    }
}
