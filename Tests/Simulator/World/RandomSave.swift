import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport

/// One random save: a pair, and some of inserts, updates, deletes, links and unlinks.
struct RandomSave {
    let world: SimulatedWorld
    let names: SimulationModel
    let store: Store
    let content: SimulatedContent
    var request = SaveRequest(author: "app")
    /// Records that the save has changed already. A save has one operation for each record.
    var touched: Set<LocalID> = []
    var insertedItems: [LocalID] = []
    /// The lists in the order that they must have after the save.
    var lists: [WantedList] = []

    /// The limit of records. It is low, so that replicas change the same ones.
    static let maximumRecords = 6

    init(
        on store: Store, content: SimulatedContent, _ names: SimulationModel,
        _ world: SimulatedWorld
    ) throws {
        self.store = store
        self.content = content
        self.names = names
        self.world = world
        try changePair()
        for _ in 0..<world.number(1..<4) { try changeSomething() }
        lists = lists.map(withoutWhatLeaves)
    }

    // MARK: - Pairs

    private mutating func changePair() throws {
        let pairs = try content.pairs(names)
        guard let (left, right) = world.element(of: pairs), !world.oneIn(4) else {
            return try insertPair(number: Int64(truncatingIfNeeded: world.draw() >> 1))
        }
        guard pairs.count < Self.maximumRecords || !world.oneIn(2) else {
            request.deletes.append(
                .init(
                    entity: names.half, rows: [left, right].map { ($0.id, $0.version) }))
            return
        }
        let token = PropertyValue.integer(Int64(world.number(0..<1_000_000)))
        let slot = names.half.slot("token")
        request.updates.append(
            .init(
                entity: names.half, slots: [slot],
                rows: [left, right].map { row in
                    var slots = row.slots
                    slots[slot] = token
                    return (row.id, row.version, slots)
                }))
    }

    private mutating func insertPair(number: Int64) throws {
        let ids = try store.reserveNumbers(2)
        var slots = empty(names.half)
        slots[names.half.slot("pair")] = .integer(number)
        slots[names.half.slot("token")] = .integer(0)
        request.inserts.append(
            .init(entity: names.half, rows: ids.map { ($0, slots) }))
    }

    // MARK: - Everything else

    private mutating func changeSomething() throws {
        if names.kind.isVersioned, world.oneIn(2) { return try changeUnderVersions() }
        if let parts = names.mergeRules, world.oneIn(2) { return try changeUnderRules(parts) }
        if names.kind == .keys, world.oneIn(2) { return try changeUnderKeys() }
        switch world.number(0..<16) {
        case 0: try insert(names.box, "title", unlessMoreThan: content.boxes)
        case 1: try insert(names.label, "text", unlessMoreThan: content.labels)
        case 2: try insertItem()
        case 3: update(content.boxes, names.box, "title", to: text())
        case 4: update(content.items, names.item, "name", to: text())
        case 5:
            let number = PropertyValue.integer(Int64(world.number(0..<1_000)))
            update(content.items, names.item, "count", to: number)
        case 6: update(content.items, names.item, "box", to: target())
        case 7: link()
        case 8: unlink()
        case 9..<13: try toggle()
        case 13..<15: try changeRange()
        default: delete()
        }
    }

    func text() -> PropertyValue { .string("text \(world.number(0..<10_000))") }

    /// Returns the slots of a new record: the defaults.
    func empty(_ entity: EntityDescription) -> [PropertyValue] {
        var slots = [PropertyValue](repeating: .null, count: entity.slots.count)
        for attribute in entity.attributes { slots[attribute.slot] = attribute.defaultValue }
        return slots
    }

    func target() -> PropertyValue {
        let living = content.boxes.filter { !touched.contains($0.id) }
        return world.oneIn(4) ? .null : world.element(of: living).map { .integer($0.id) } ?? .null
    }

    private mutating func insert(
        _ entity: EntityDescription, _ attribute: String, unlessMoreThan rows: [RowSnapshot]
    ) throws {
        guard rows.count < Self.maximumRecords else { return }
        let id = try store.reserveNumbers(1).lowerBound
        var slots = empty(entity)
        slots[entity.slot(attribute)] = text()
        request.inserts.append(.init(entity: entity, rows: [(id, slots)]))
    }

    private mutating func insertItem() throws {
        guard content.items.count < 2 * Self.maximumRecords else { return }
        let id = try store.reserveNumbers(1).lowerBound
        var slots = empty(names.item)
        slots[names.item.slot("name")] = text()
        if case .integer(let box) = target() {
            slots[names.item.slot("box")] = .integer(box)
            touched.insert(box)
        }
        request.inserts.append(.init(entity: names.item, rows: [(id, slots)]))
        insertedItems.append(id)
    }

    mutating func update(
        _ rows: [RowSnapshot], _ entity: EntityDescription, _ property: String,
        to value: PropertyValue
    ) {
        guard let row = world.element(of: rows), touched.insert(row.id).inserted,
            let slot = entity.knownSlot(property)
        else { return }
        var slots = row.slots
        slots[slot] = value
        if case .integer(let box) = value, property == "box" { touched.insert(box) }
        request.updates.append(
            .init(entity: row.entity, slots: [slot], rows: [(row.id, row.version, slots)]))
    }

    /// Moves one end of the range that all replicas change, as far as the other end allows.
    private mutating func changeRange() throws {
        let eldest = try eldest(of: content.labels)
        guard let label = content.labels.first(where: { $0.id == eldest }),
            touched.insert(label.id).inserted
        else { return }
        let (low, high) = (names.label.slot("low"), names.label.slot("high"))
        var slots = label.slots
        // The length is long or short, so that two short moves from both ends fit into a long
        // range.
        let length = world.oneIn(2) ? 40 : Int64(world.number(1..<20))
        let movesLow = world.oneIn(2)
        if movesLow, case .integer(let end) = slots[high] {
            slots[low] = .integer(end - length)
        } else if case .integer(let start) = slots[low] {
            slots[high] = .integer(start + length)
        } else {
            (slots[low], slots[high]) = (.integer(0), .integer(length))
        }
        let changed = slots.indices.filter { slots[$0] != label.slots[$0] }
        guard !changed.isEmpty else { return }
        request.updates.append(
            .init(
                entity: names.label, slots: changed, rows: [(label.id, label.version, slots)]))
    }

    private mutating func link() {
        let items = content.items.map(\.id) + insertedItems
        guard let item = world.element(of: items), let label = world.element(of: content.labels)
        else { return }
        change(item, label.id, isAdded: true)
    }

    /// Adds or removes the one link that all replicas change. An add that a concurrent removal has
    /// not seen must survive it.
    private mutating func toggle() throws {
        guard let item = try eldest(of: content.items), let label = try eldest(of: content.labels)
        else { return }
        let isLinked = content.links.contains { $0.item == item && $0.label == label }
        change(item, label, isAdded: !isLinked)
    }

    /// Returns the record with the smallest identity, which is the same on every replica.
    func eldest(of rows: [RowSnapshot]) throws -> LocalID? {
        try rows.compactMap { row in try store.recordID(of: row.id).map { ($0, row.id) } }
            .min { $0.0 < $1.0 }?.1
    }

    private mutating func unlink() {
        guard let link = world.element(of: content.links) else { return }
        change(link.item, link.label, isAdded: false)
    }

    private mutating func change(_ item: LocalID, _ label: LocalID, isAdded: Bool) {
        guard touched.isDisjoint(with: [item, label]) else { return }
        touched.formUnion([item, label])
        request.links.append(
            .init(relationship: names.labels, owner: item, other: label, isAdded: isAdded))
    }

    private mutating func delete() {
        guard let rows = world.element(of: [content.boxes, content.items, content.labels]),
            let row = world.element(of: rows), touched.insert(row.id).inserted
        else { return }
        request.deletes.append(.init(entity: row.entity, rows: [(row.id, row.version)]))
    }
}
