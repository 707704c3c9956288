package import AnabranchReplication

/// What a set of saves means, whatever their order: each register the write that its rule asks
/// for, each counter the sum of its events, each link the adds that no removal and no move has
/// seen, of records that nobody has deleted for good.
///
/// Written as definitions over all saves at once, so that it shares no step with the merges.
package struct IntendedState {
    typealias Register = ReferenceRegister

    struct Write {
        let origin: Digest
        let stamp: Stamp
        let value: Value
    }

    struct Add {
        let origin: Digest
        let tag: Stamp
        let place: LinkPlace
    }

    struct LinkName: Hashable {
        let left: RecordID
        let property: WireProperty
        let right: RecordID
    }

    private(set) var entities: [RecordID: WireName] = [:]
    private(set) var writes: [Register: [Write]] = [:]
    private(set) var deleters: [RecordID: [Digest]] = [:]
    private(set) var adds: [LinkName: [Add]] = [:]
    private(set) var removedTags: [LinkName: Set<Stamp>] = [:]
    /// Stamps of `keepBoth` values that somebody has seen who wrote another.
    private(set) var replaced: [Register: Set<Stamp>] = [:]
    /// Of each record that was deleted for as long as nobody writes to it, what its deletes saw.
    private(set) var seenByDeletes: [RecordID: Set<Stamp>] = [:]

    package init(of log: [ChangeSet]) throws {
        let sets = log.filter { $0.kind != .lost }
        for set in sets {
            for case .insert(let rows) in try set.decodedPayload().blocks {
                for id in rows.records { entities[id] = rows.entity }
            }
        }
        for set in sets {
            for block in try set.decodedPayload().blocks { note(block, of: set) }
        }
    }

    private mutating func note(_ block: ChangeBlock, of set: ChangeSet) {
        switch block {
        case .insert(let rows), .update(let rows), .add(let rows):
            for (place, id) in rows.records.enumerated() where entities[id] == rows.entity {
                for (property, column) in zip(rows.properties, rows.columns) {
                    note(column[place], Register(record: id, property: property), of: set)
                }
            }
        case .write(let block):
            for write in block.writes where entities[write.record] == block.entity {
                let register = Register(record: write.record, property: block.property)
                note(write.value, register, of: set)
                replaced[register, default: []].formUnion(write.tagsSeen)
            }
        case .delete(let deleted):
            for id in deleted.records where entities[id] == deleted.entity {
                deleters[id, default: []].append(set.origin)
            }
        case .yieldingDelete(let block):
            for delete in block.deletes where entities[delete.record] == block.entity {
                seenByDeletes[delete.record, default: []].formUnion(delete.stampsSeen)
            }
        case .link(let links): add(links, of: set)
        case .unlink(let links): remove(links)
        case .move(let links):
            remove(links)
            add(links, of: set)
        // No store writes such operations.
        case .unknown: break
        }
    }

    private mutating func note(_ value: Value, _ register: Register, of set: ChangeSet) {
        writes[register, default: []].append(
            Write(origin: set.origin, stamp: set.stamp, value: value))
    }

    private mutating func add(_ links: LinkBlock, of set: ChangeSet) {
        for link in links.links {
            adds[name(link, links.property), default: []].append(
                Add(origin: set.origin, tag: set.stamp, place: link.place))
        }
    }

    private mutating func remove(_ links: LinkBlock) {
        for link in links.links {
            removedTags[name(link, links.property), default: []].formUnion(link.tagsSeen)
        }
    }

    private func name(_ link: LinkBlock.Link, _ property: WireProperty) -> LinkName {
        LinkName(left: link.left, property: property, right: link.right)
    }

    /// Whether nobody has deleted the record for good.
    func isHeld(_ id: RecordID) -> Bool { entities[id] != nil && deleters[id] == nil }

    /// The writes that are to be seen: one, or under `keepBoth` those that nobody has replaced.
    func standing(_ register: Register, among writes: [Write]) -> [Write] {
        switch register.property.rule {
        case .keepBoth:
            return writes.filter { replaced[register]?.contains($0.stamp) != true }
        case .firstWriter:
            return writes.min { $0.stamp < $1.stamp }.map { [$0] } ?? []
        case .max: return Self.farthest(writes, 1)
        case .min: return Self.farthest(writes, -1)
        case .counter:
            return writes.max { $0.stamp < $1.stamp }.map { last in
                [Write(origin: last.origin, stamp: last.stamp, value: Self.sum(writes))]
            } ?? []
        default:
            return writes.max { $0.stamp < $1.stamp }.map { [$0] } ?? []
        }
    }

    /// The greatest number times a sign, of equal ones the last; null is less than all.
    private static func farthest(_ writes: [Write], _ sign: Int64) -> [Write] {
        func rank(_ write: Write) -> Int64 {
            if case .integer(let number) = write.value { sign * number } else { .min }
        }
        return writes.max { (rank($0), $0.stamp) < (rank($1), $1.stamp) }.map { [$0] } ?? []
    }

    package var records: [RecordID: CanonicalRecord] {
        var records: [RecordID: CanonicalRecord] = [:]
        for (id, entity) in entities where isHeld(id) {
            records[id] = CanonicalRecord(
                id: id, entity: entity,
                deleteMark: seenByDeletes[id].map { DeleteMark(seen: $0) })
        }
        for (register, writes) in writes where isHeld(register.record) {
            for write in standing(register, among: writes) {
                records[register.record]?.cells.append(
                    .init(property: register.property, value: write.value, stamp: write.stamp))
            }
        }
        for (name, adds) in adds where isHeld(name.left) && isHeld(name.right) {
            let standing = adds.filter { removedTags[name]?.contains($0.tag) != true }
            guard !standing.isEmpty else { continue }
            let tags = standing.map { LinkTags.Tag($0.tag, at: $0.place) }
            records[name.left]?.links.append(
                .init(property: name.property, right: name.right, tags: LinkTags(placed: tags)))
        }
        return records
    }

    private static func sum(_ writes: [Write]) -> Value {
        let numbers = writes.compactMap { write -> Int64? in
            if case .integer(let number) = write.value { number } else { nil }
        }
        return numbers.isEmpty ? .null : .integer(numbers.reduce(0, &+))
    }

    var canonicalHash: Digest {
        var hash = CanonicalHash()
        for (_, record) in records.sorted(by: { $0.key < $1.key }) { hash.update(record) }
        return hash.finish()
    }

    /// - Throws: What the first record says that differs.
    package func check(_ present: [CanonicalRecord], in place: String) throws {
        var expected = records
        for record in present {
            let intended = expected.removeValue(forKey: record.id)
            guard let intended else {
                throw SimulationFailure("\(place) has \(record.id), which is deleted")
            }
            guard intended.encoded() == record.encoded() else {
                throw SimulationFailure("\(place) has \(record), intended was \(intended)")
            }
        }
        guard let (id, _) = expected.min(by: { $0.key < $1.key }) else { return }
        throw SimulationFailure("\(place) lacks \(id)")
    }
}

/// One property of one record.
struct ReferenceRegister: Hashable {
    let record: RecordID
    let property: WireProperty
}
