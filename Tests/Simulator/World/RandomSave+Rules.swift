import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport

/// Saves of an app with all merge rules in its model.
extension RandomSave {
    mutating func changeUnderRules(_ parts: SimulationModel.MergeRuleParts) throws {
        switch world.number(0..<20) {
        case 0..<3: try count()
        case 3: try extend("best", by: 1)
        case 4: try extend("least", by: -1)
        case 5: try writeFirst()
        case 6: try changeItem("memo", to: text())
        case 7..<10: try insertNote(parts)
        case 10..<12: updateNote(parts)
        case 12..<14: deleteNote(parts)
        case 14..<17: try changeQueue(parts.queue)
        default: try changeShelf(parts.shelf)
        }
    }

    /// Returns the item that all replicas change, or any item.
    private func contestedItem() throws -> RowSnapshot? {
        let eldest = try eldest(of: content.items)
        return world.oneIn(2)
            ? content.items.first { $0.id == eldest } : world.element(of: content.items)
    }

    private mutating func changeItem(_ property: String, to value: PropertyValue) throws {
        guard let item = try contestedItem() else { return }
        update([item], names.item, property, to: value)
    }

    private mutating func count() throws {
        guard let item = try contestedItem() else { return }
        let delta = Int64(world.number(-5..<20))
        update([item], names.item, "votes", to: sum(of: item, "votes", delta))
    }

    private func sum(of row: RowSnapshot, _ counter: String, _ delta: Int64) -> PropertyValue {
        if case .integer(let held) = row.slots[row.entity.slot(counter)] {
            .integer(held + delta)
        } else {
            .integer(delta)
        }
    }

    /// Writes a value beyond the held one, as only such a write can win.
    private mutating func extend(_ property: String, by sign: Int64) throws {
        guard let item = try contestedItem() else { return }
        let delta = sign * Int64(world.number(1..<50))
        update([item], names.item, property, to: sum(of: item, property, delta))
    }

    private mutating func writeFirst() throws {
        let slot = names.item.slot("born")
        let unborn = content.items.filter { $0.slots[slot] == .null }
        update(unborn, names.item, "born", to: .integer(Int64(world.number(0..<1_000))))
    }

    // MARK: - Notes

    private mutating func insertNote(_ parts: SimulationModel.MergeRuleParts) throws {
        guard content.notes.count < Self.maximumRecords else { return }
        let id = try store.reserveNumbers(1).lowerBound
        var slots = empty(parts.note)
        slots[parts.note.slot("text")] = text()
        slots[parts.note.slot("hits")] = .integer(1)
        let items = content.items.filter { !touched.contains($0.id) }
        if let item = world.element(of: items) {
            slots[parts.note.slot("item")] = .integer(item.id)
            touched.insert(item.id)
        }
        request.inserts.append(.init(entity: parts.note, rows: [(id, slots)]))
    }

    private mutating func updateNote(_ parts: SimulationModel.MergeRuleParts) {
        guard let note = world.element(of: content.notes) else { return }
        if world.oneIn(3) {
            update([note], parts.note, "hits", to: sum(of: note, "hits", 1))
        } else {
            update([note], parts.note, "text", to: text())
        }
    }

    private mutating func deleteNote(_ parts: SimulationModel.MergeRuleParts) {
        guard let note = world.element(of: content.notes), touched.insert(note.id).inserted
        else { return }
        request.deletes.append(.init(entity: parts.note, rows: [(note.id, note.version)]))
    }

    // MARK: - Lists

    /// Inserts an item into a list of links, moves it in the list, or removes it.
    private mutating func changeQueue(_ queue: RelationshipDescription) throws {
        guard var change = try listChange(of: queue) else { return }
        if change.isThere, world.oneIn(3) {
            request.links.append(
                .init(
                    relationship: queue, owner: change.owner, other: change.item.id,
                    isAdded: false))
            return want(change, queue)
        }
        if !change.isThere {
            request.links.append(
                .init(
                    relationship: queue, owner: change.owner, other: change.item.id,
                    isAdded: true))
        }
        put(&change, queue)
    }

    /// Inserts, moves or removes an item in a list that the item's own reference names. The item is
    /// in one list at most.
    private mutating func changeShelf(_ shelf: RelationshipDescription) throws {
        guard var change = try listChange(of: shelf) else { return }
        let slot = names.item.slot("shelvedIn")
        let isRemoved = change.isThere && world.oneIn(3)
        var slots = change.item.slots
        slots[slot] = isRemoved ? .null : .integer(change.owner)
        request.updates.append(
            .init(
                entity: change.item.entity, slots: [slot],
                rows: [(change.item.id, change.item.version, slots)]))
        isRemoved ? want(change, shelf) : put(&change, shelf)
    }

    private struct ListChange {
        let owner: LocalID
        let item: RowSnapshot
        let isThere: Bool
        /// The list without the item.
        var order: [LocalID]
    }

    /// Returns an item and a box, mostly the ones that all replicas change.
    private mutating func listChange(
        of relationship: RelationshipDescription
    ) throws -> ListChange? {
        let box =
            world.oneIn(4)
            ? world.element(of: content.boxes)?.id : try eldest(of: content.boxes)
        guard let box, let item = world.element(of: content.items),
            touched.isDisjoint(with: [box, item.id])
        else { return nil }
        touched.formUnion([box, item.id])
        let order = try store.read { try $0.related(by: relationship, of: [box]).map(\.id) }
        return ListChange(
            owner: box, item: item, isThere: order.contains(item.id),
            order: order.filter { $0 != item.id })
    }

    private mutating func put(_ change: inout ListChange, _ relationship: RelationshipDescription) {
        change.order.insert(change.item.id, at: world.number(0..<change.order.count + 1))
        request.lists.append(
            .init(
                relationship: relationship, owner: change.owner, order: change.order,
                placed: [change.item.id]))
        want(change, relationship)
    }

    /// Returns the list without the items that the same save deletes or moves to another shelf.
    func withoutWhatLeaves(_ list: WantedList) -> WantedList {
        var leaving = Set(request.deletes.flatMap { $0.rows.map(\.id) })
        if list.relationship == names.mergeRules?.shelf {
            let slots = [names.item.slot("shelvedIn")]
            for update in request.updates
            where update.entity.isKind(of: names.item) && update.rows.slots == slots {
                let moved = zip(update.rows.ids, update.rows.values)
                leaving.formUnion(moved.filter { $0.1 != .integer(list.owner) }.map(\.0))
            }
        }
        return WantedList(
            relationship: list.relationship, owner: list.owner,
            order: list.order.filter { !leaving.contains($0) })
    }

    private mutating func want(_ change: ListChange, _ relationship: RelationshipDescription) {
        lists.append(
            WantedList(relationship: relationship, owner: change.owner, order: change.order))
    }
}
