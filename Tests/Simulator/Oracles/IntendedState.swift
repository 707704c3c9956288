package import AnabranchReplication

/// The state that a set of saves means, whatever their order.
///
/// Each register has the write that its merge rule asks for. Each counter has the sum of its
/// events. Each link has the adds that no removal and no move has seen, between records that no
/// save has deleted for good.
///
/// It is written as definitions over all saves at once, so that it shares no step with the merges.
package struct IntendedState {
    typealias Register = ReferenceRegister

    struct Write {
        let origin: Digest
        let stamp: Stamp
        let value: PropertyValue
    }

    struct Add {
        let origin: Digest
        let tag: Stamp
        let place: LinkPosition
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
    /// Stamps of `keepBoth` values that the author of a later write had seen.
    private(set) var replaced: [Register: Set<Stamp>] = [:]
    /// The stamps that the deletes of each record had seen, for records under `updateWins`.
    private(set) var seenByDeletes: [RecordID: Set<Stamp>] = [:]

    package init(of log: [ChangeSet]) throws {
        let sets = log.filter { $0.kind != .lost }
        for set in sets {
            for case .insert(let rows) in try set.decodedPayload().blocks {
                for id in rows.records { entities[id] = rows.entity }
            }
        }
        for set in sets {
            for block in try set.decodedPayload().blocks { add(block, of: set) }
        }
    }

    private mutating func add(_ block: ChangeBlock, of set: ChangeSet) {
        switch block {
        case .insert(let rows), .update(let rows), .add(let rows):
            for (place, id) in rows.records.enumerated() where entities[id] == rows.entity {
                for (property, column) in zip(rows.properties, rows.columns) {
                    add(column[place], Register(record: id, property: property), of: set)
                }
            }
        case .write(let block):
            for write in block.writes where entities[write.record] == block.entity {
                let register = Register(record: write.record, property: block.property)
                add(write.value, register, of: set)
                replaced[register, default: []].formUnion(write.observedTags)
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
        // A store writes no such operation.
        case .unknown: break
        }
    }

    private mutating func add(_ value: PropertyValue, _ register: Register, of set: ChangeSet) {
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
            removedTags[name(link, links.property), default: []].formUnion(link.observedTags)
        }
    }

    private func name(_ link: LinkBlock.Link, _ property: WireProperty) -> LinkName {
        LinkName(left: link.left, property: property, right: link.right)
    }

    /// Returns whether the record was inserted and no save has deleted it for good.
    func isHeld(_ id: RecordID) -> Bool { entities[id] != nil && deleters[id] == nil }

    /// Returns the visible writes: one, or under `keepBoth` those that no later write has replaced.
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

    /// Returns the write with the greatest number times `sign`, and of equal ones the last. Null is
    /// less than every number.
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

    private static func sum(_ writes: [Write]) -> PropertyValue {
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

    /// Checks a merged state against this one.
    ///
    /// - Throws: ``SimulationFailure`` with the first record that differs.
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
