import AnabranchReplication

/// Saves with every merge rule, and deletes under `updateWins`.
extension RandomAuthor {
    /// Returns random edits in the order of a store: inserts, updates, adds, `keepBoth` writes,
    /// links, moves, unlinks, deletes. Some saves also edit a record that they have just inserted.
    mutating func editsOfAllRules(_ generator: inout SeededGenerator) -> [ChangeBlock] {
        var blocks: [ChangeBlock] = []
        let living = state.living
        var inserted: [RecordID] = []
        if living.count < 3 || generator.oneIn(3) {
            let entity = generator.element(of: Self.entities)
            inserted = (0..<Int.random(in: 1...2, using: &generator)).map { _ in newRecord() }
            // A record may lack a property: the first delta of a counter then starts it.
            let written = Self.columns.filter { _ in !generator.oneIn(4) }
            blocks.append(.insert(rows(inserted, entity, written, &generator)))
            if generator.oneIn(3) {
                blocks += edits(of: inserted[0], entity, seeing: nil, &generator)
            }
        }
        for id in living where generator.oneIn(3) {
            guard let record = state.records[id] else { continue }
            blocks += edits(of: id, record.entity, seeing: record, &generator)
        }
        let people = people(in: blocks)
        blocks += linksAndUnlinks(among: people, &generator)
        blocks += listEdits(among: people, &generator)
        for id in living where generator.oneIn(6) {
            guard let record = state.records[id] else { continue }
            blocks.append(delete(id, record, &generator))
        }
        // A horizon makes the deletes of dead records final.
        for (id, record) in state.records.sorted(by: { $0.key < $1.key })
        where record.isDead && generator.oneIn(20) {
            blocks.append(.delete(RecordBlock(entity: record.entity, records: [id])))
        }
        return blocks
    }

    /// Returns the people that a link can have: the living ones and those that the blocks insert.
    private func people(in blocks: [ChangeBlock]) -> [RecordID] {
        let person = Self.entities[1]
        let inserted = blocks.flatMap { block -> [RecordID] in
            guard case .insert(let rows) = block, rows.entity == person else { return [] }
            return rows.records
        }
        return state.living.filter { state.records[$0]?.entity == person } + inserted
    }

    /// - Parameter record: The record; `nil` for one that the same save inserts.
    private func edits(
        of id: RecordID, _ entity: WireName, seeing record: ReferenceMerge.Record?,
        _ generator: inout SeededGenerator
    ) -> [ChangeBlock] {
        var blocks: [ChangeBlock] = []
        // A save that only counts does not restore a dead record.
        let onlyCounts = generator.oneIn(4)
        let written = Self.columns.filter {
            $0.rule != .counter && $0.rule != .keepBoth && !onlyCounts && generator.oneIn(2)
        }
        if !written.isEmpty { blocks.append(.update(rows([id], entity, written, &generator))) }
        let counters = Self.columns.filter { $0.rule == .counter && generator.oneIn(2) }
        if !counters.isEmpty {
            let columns = counters.map { ValueColumn([generator.delta(of: $0.type)]) }
            blocks.append(
                .add(
                    RowBlock(
                        entity: entity, records: [id], properties: counters, columns: columns)))
        }
        for property in Self.columns
        where property.rule == .keepBoth && !onlyCounts && generator.oneIn(2) {
            let write = SiblingBlock.Write(
                record: id, value: value(of: property, &generator),
                observedTags: (record?.cells[property] ?? [:]).keys.sorted())
            blocks.append(
                .write(SiblingBlock(entity: entity, property: property, writes: [write])))
        }
        return blocks
    }

    /// Deletes a record under one of the two delete rules. The rule of an entity may change with
    /// the model, so both meet on one record.
    private func delete(
        _ id: RecordID, _ record: ReferenceMerge.Record, _ generator: inout SeededGenerator
    ) -> ChangeBlock {
        let yields = record.entity == Self.entities[0] ? !generator.oneIn(8) : generator.oneIn(8)
        guard yields else { return .delete(RecordBlock(entity: record.entity, records: [id])) }
        return .yieldingDelete(
            YieldingDeleteBlock(
                entity: record.entity,
                deletes: [.init(record: id, stampsSeen: record.registers.sorted())]))
    }

    private func rows(
        _ records: [RecordID], _ entity: WireName, _ properties: [WireProperty],
        _ generator: inout SeededGenerator
    ) -> RowBlock {
        let columns = properties.map { property in
            ValueColumn(records.map { _ in value(of: property, &generator) })
        }
        return RowBlock(
            entity: entity, records: records, properties: properties, columns: columns)
    }

    private func value(
        of property: WireProperty, _ generator: inout SeededGenerator
    ) -> PropertyValue {
        // The value has a position in an ordered one-to-many. It may also have members of a later
        // version.
        if property.name == "chief", !generator.oneIn(5) {
            return entry(among: people(in: []), &generator)
        }
        // The value is as a store writes it if its model has both members or only one of them.
        if property.name == "address", !generator.oneIn(3) { return address(&generator) }
        return generator.value(of: property, replicas: [replica])
    }

    private func address(_ generator: inout SeededGenerator) -> PropertyValue {
        let members: [(WireName, WireType)] = [("city", .string), ("zip", .integer32)]
        let written = members.filter { _ in !generator.oneIn(4) }.map { name, type in
            GroupValue.Member(
                name: name, type: type, value: generator.value(of: type, replicas: [replica]))
        }
        return GroupValue(written).map(PropertyValue.group) ?? .null
    }

    /// The entities. Deletes of the first one lose against updates.
    private static let entities: [WireName] = ["Task", "Person"]

    private static let columns = [
        WireProperty(name: "address", type: .group, rule: .group),
        WireProperty(name: "age", type: .integer64),
        WireProperty(name: "best", type: .integer32, rule: .max),
        WireProperty(name: "boss", type: .reference),
        WireProperty(name: "chief", type: .group, rule: .group),
        WireProperty(name: "born", type: .date, rule: .firstWriter),
        WireProperty(name: "done", type: .bool, rule: .max),
        WireProperty(name: "first", type: .string, rule: .min),
        WireProperty(name: "fee", type: .decimal, rule: .min),
        WireProperty(name: "note", type: .string, rule: .keepBoth),
        WireProperty(name: "paid", type: .decimal, rule: .counter),
        WireProperty(name: "peak", type: .double, rule: .max),
        WireProperty(name: "seat", type: .reference, rule: .keepBoth),
        WireProperty(name: "visits", type: .integer64, rule: .counter),
    ]
}
