import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport

/// Saves of an app with unique keys, a tree, a one-to-one and a to-one that is its own inverse.
extension RandomSave {
    mutating func changeUnderKeys() throws {
        switch world.number(0..<12) {
        case 0..<3: try insertKeyed()
        case 3..<5: setKey(content.items, names.item, world.oneIn(2) ? "code" : "name")
        case 5: setKey(content.boxes, names.box, "title")
        case 6: setKey(content.labels, names.label, "text")
        case 7..<10: setReference("parent", to: content.boxes)
        case 10: setReference("seal", to: content.items)
        default: world.oneIn(2) ? setTwin() : count()
        }
    }

    /// Makes two boxes each other's twin, or one its own, and takes them from their former twins.
    private mutating func setTwin() {
        let slot = names.box.slot("twin")
        guard let box = world.element(of: content.boxes),
            let other = world.element(of: content.boxes)
        else { return }
        let pair = [box, other]
        let former = content.boxes.filter { row in
            pair.contains { $0.slots[slot] == .integer(row.id) && $0.id != row.id }
                && !pair.contains { $0.id == row.id }
        }
        let isParted = world.oneIn(5)
        let rows = (box.id == other.id ? [box] : pair) + former
        guard touched.isDisjoint(with: rows.map(\.id)) else { return }
        touched.formUnion(rows.map(\.id))
        request.updates.append(
            .init(
                entity: names.box, slots: [slot],
                rows: rows.enumerated().map { place, row in
                    var slots = row.slots
                    let twin =
                        place == 0
                        ? other
                        : place == 1 && former.count < rows.count - 1
                            ? box : nil
                    slots[slot] = isParted ? .null : twin.map { .integer($0.id) } ?? .null
                    return (row.id, row.version, slots)
                }))
    }

    /// Returns one of a few keys, so that replicas concurrently use the same one. It is mostly a
    /// key that no visible record has: a save that takes the key of another record is refused.
    private func key(_ rows: [RowSnapshot], _ entity: EntityDescription, _ name: String)
        -> PropertyValue
    {
        let slot = entity.slot(name)
        let keys = (0..<5).map { number in
            name == "code" ? PropertyValue.integer(Int64(number)) : .string("key \(number)")
        }
        let taken = world.oneIn(8) ? [] : Set(rows.map { $0.slots[slot] })
        return world.element(of: keys.filter { !taken.contains($0) }) ?? .null
    }

    mutating func setKey(
        _ rows: [RowSnapshot], _ entity: EntityDescription, _ name: String
    ) {
        update(rows, entity, name, to: world.oneIn(6) ? .null : key(rows, entity, name))
    }

    private mutating func insertKeyed() throws {
        guard content.items.count < 2 * Self.maximumRecords else { return }
        let id = try store.reserveNumbers(1).lowerBound
        var slots = empty(names.item)
        slots[names.item.slot("code")] = key(content.items, names.item, "code")
        if world.oneIn(2) {
            slots[names.item.slot("name")] = key(content.items, names.item, "name")
        }
        slots[names.item.slot("votes")] = .integer(Int64(world.number(0..<5)))
        request.inserts.append(.init(entity: names.item, rows: [(id, slots)]))
        insertedItems.append(id)
    }

    private mutating func setReference(_ name: String, to rows: [RowSnapshot]) {
        let target = world.element(of: rows.filter { !touched.contains($0.id) })
        guard let target, let box = world.element(of: content.boxes),
            touched.insert(box.id).inserted
        else { return }
        touched.insert(target.id)
        let slot = names.box.slot(name)
        var slots = box.slots
        slots[slot] = world.oneIn(6) ? .null : .integer(target.id)
        request.updates.append(
            .init(entity: names.box, slots: [slot], rows: [(box.id, box.version, slots)]))
    }

    /// Changes a counter. If merged duplicates add up to the visible value, the change is relative
    /// to that value.
    private mutating func count() {
        guard let item = world.element(of: content.items) else { return }
        var held: Int64 = 0
        if case .integer(let number) = item.slots[names.item.slot("votes")] { held = number }
        let sum = held + Int64(world.number(-5..<20))
        update([item], names.item, "votes", to: .integer(sum))
    }
}
