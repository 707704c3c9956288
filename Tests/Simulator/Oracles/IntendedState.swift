package import AnabranchReplication

/// What a set of saves means, whatever their order: each register the write with the greatest
/// stamp, each counter the sum of its events, each link the adds that no removal has seen, of
/// records that nobody has deleted.
///
/// Written as definitions over all saves at once, so that it shares no step with the merges.
package struct IntendedState {
    typealias Register = ReferenceRegister

    struct Write {
        let origin: Digest
        let stamp: Stamp
        let value: Value
    }

    struct LinkName: Hashable {
        let left: RecordID
        let property: WireProperty
        let right: RecordID
    }

    private(set) var entities: [RecordID: WireName] = [:]
    private(set) var writes: [Register: [Write]] = [:]
    private(set) var deleters: [RecordID: [Digest]] = [:]
    private(set) var adds: [LinkName: [(origin: Digest, tag: Stamp)]] = [:]
    private(set) var removedTags: [LinkName: Set<Stamp>] = [:]

    package init(of sets: [ChangeSet]) throws {
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
                    writes[Register(record: id, property: property), default: []].append(
                        Write(origin: set.origin, stamp: set.stamp, value: column[place]))
                }
            }
        case .delete(let deleted):
            for id in deleted.records where entities[id] == deleted.entity {
                deleters[id, default: []].append(set.origin)
            }
        case .link(let links):
            for link in links.links {
                adds[name(link, links.property), default: []].append((set.origin, set.stamp))
            }
        case .unlink(let links):
            for link in links.links {
                removedTags[name(link, links.property), default: []].formUnion(link.tagsSeen)
            }
        // The simulated model has no such properties and entities.
        case .write, .yieldingDelete, .move, .unknown: break
        }
    }

    private func name(_ link: LinkBlock.Link, _ property: WireProperty) -> LinkName {
        LinkName(left: link.left, property: property, right: link.right)
    }

    func isLiving(_ id: RecordID) -> Bool { entities[id] != nil && deleters[id] == nil }

    package var records: [RecordID: CanonicalRecord] {
        var records: [RecordID: CanonicalRecord] = [:]
        for (id, entity) in entities where isLiving(id) {
            records[id] = CanonicalRecord(id: id, entity: entity)
        }
        for (register, writes) in writes where isLiving(register.record) {
            guard let last = writes.max(by: { $0.stamp < $1.stamp }) else { continue }
            let value = register.property.rule == .counter ? Self.sum(writes) : last.value
            records[register.record]?.cells.append(
                .init(property: register.property, value: value, stamp: last.stamp))
        }
        for (name, adds) in adds where isLiving(name.left) && isLiving(name.right) {
            let tags = adds.map(\.tag).filter { removedTags[name]?.contains($0) != true }
            guard !tags.isEmpty else { continue }
            records[name.left]?.links.append(
                .init(property: name.property, right: name.right, tags: LinkTags(tags)))
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
