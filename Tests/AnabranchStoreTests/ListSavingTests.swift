import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of ordered relationships in the rows of a store: what a save writes and what another store
/// reads.
@Suite struct `Saving lists` {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("List") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("items", toMany: "Item", ordered: true, inverse: "list")
                RelationshipDeclaration("tags", toMany: "Item", ordered: true, inverse: "tagged")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("list", to: "List", inverse: "items")
                RelationshipDeclaration("tagged", toMany: "List", ordered: true, inverse: "tags")
            }
        }
    }

    private struct Lists {
        let store: Store
        var list: LocalID = 0
        var items: [LocalID] = []

        func relationship(_ name: String, of entity: String = "List") -> RelationshipDescription {
            store.model.entity(named: entity)!.property(named: name)!.relationship!
        }

        mutating func fill(_ count: Int) throws {
            list = try store.insert("List", ["name": .string("L")])
            items = try (0..<count).map {
                try store.insert(
                    "Item", ["name": .string("\($0)"), "list": .integer(list)])
            }
        }

        /// Saves a whole order, in which some elements have been moved to their positions.
        func place(_ order: [LocalID], _ placed: Set<LocalID>, _ name: String = "items") throws {
            var request = SaveRequest()
            request.lists = [
                .init(
                    relationship: relationship(name), owner: list, order: order, placed: placed)
            ]
            if name == "items" {
                let item = store.model.entity(named: "Item")!
                let slot = item.slotIndex(named: "list")!
                let rows = try order.filter(placed.contains).compactMap { id in
                    try store.row("Item", id).map { row in
                        var slots = row.slots
                        slots[slot] = .integer(list)
                        return (id, row.version, slots)
                    }
                }
                request.updates = [.init(entity: item, slots: [slot], rows: rows)]
            } else {
                let present = try shown(name)
                request.links = placed.filter { !present.contains($0) }.sorted().map {
                    .init(
                        relationship: relationship(name), owner: list, other: $0, isAdded: true)
                }
            }
            _ = try store.save(request)
        }

        func shown(_ name: String = "items") throws -> [LocalID] {
            let relationship = relationship(name)
            return try store.read { try $0.related(by: relationship, of: [list]).map(\.id) }
        }

        /// Returns the same list on another store.
        func copy(on other: Store) throws -> Lists {
            Lists(
                store: other, list: try other.id(of: list, on: store),
                items: try items.map { try other.id(of: $0, on: store) })
        }
    }

    /// Returns a list that two stores have.
    private func pair(_ count: Int) throws -> (StoreScenario, Lists, Lists) {
        let scenario = try StoreScenario(model: Self.model())
        var a = Lists(store: try scenario.open("a"))
        try a.fill(count)
        try a.place(a.items, Set(a.items), "tags")
        let other = try scenario.open("b")
        try scenario.zone.sync(a.store)
        try scenario.zone.sync(other)
        return (scenario, a, try a.copy(on: other))
    }

    @Test func `a member that is linked without a place goes to the end`() throws {
        let scenario = try StoreScenario(model: Self.model())
        var lists = Lists(store: try scenario.open("a"))
        try lists.fill(5)
        #expect(try lists.shown() == lists.items)
        try lists.store.link(lists.list, "tags", lists.items[3], of: "List")
        try lists.store.link(lists.items[1], "tagged", lists.list, of: "Item")
        #expect(try lists.shown("tags") == [lists.items[3], lists.items[1]])
    }

    @Test(arguments: ["items", "tags"])
    func `a move changes what is between, here and elsewhere`(name: String) throws {
        let (scenario, a, b) = try pair(4)
        let order = [a.items[3], a.items[0], a.items[1], a.items[2]]
        try a.place(order, [a.items[3]], name)
        #expect(try a.shown(name) == order)
        for store in [a.store, b.store] { try scenario.zone.sync(store) }
        #expect(try b.shown(name) == [b.items[3], b.items[0], b.items[1], b.items[2]])
        #expect(try a.store.canonicalHash() == b.store.canonicalHash())
        #expect(try a.store.canonicalHash() == scenario.zone.reference().canonicalHash)
    }

    @Test(arguments: ["items", "tags"])
    func `concurrent moves of one element do not duplicate it`(name: String) throws {
        let (scenario, a, b) = try pair(4)
        try a.place([a.items[3], a.items[0], a.items[1], a.items[2]], [a.items[3]], name)
        scenario.clock.milliseconds += 10
        try b.place([b.items[0], b.items[3], b.items[1], b.items[2]], [b.items[3]], name)
        for store in [a.store, b.store, a.store] { try scenario.zone.sync(store) }
        // The later move is that of store b.
        #expect(try a.shown(name) == [a.items[0], a.items[3], a.items[1], a.items[2]])
        #expect(try b.shown(name) == [b.items[0], b.items[3], b.items[1], b.items[2]])
        #expect(try a.store.canonicalHash() == b.store.canonicalHash())
        #expect(try a.store.canonicalHash() == scenario.zone.reference().canonicalHash)
    }

    @Test(arguments: ["items", "tags"])
    func `concurrent runs at one place do not interleave`(name: String) throws {
        let (scenario, a, b) = try pair(2)
        func insertRun(_ lists: Lists, _ prefix: String) throws {
            var run: [LocalID] = []
            for index in 0..<3 {
                let id = try lists.store.insert("Item", ["name": .string("\(prefix)\(index)")])
                run.append(id)
                try lists.place([lists.items[0]] + run + [lists.items[1]], [id], name)
            }
        }
        try insertRun(a, "a")
        try insertRun(b, "b")
        for store in [a.store, b.store, a.store] { try scenario.zone.sync(store) }
        for lists in [a, b] {
            let names = try lists.shown(name).compactMap {
                try lists.store.value("name", of: $0, "Item")
            }
            let runs = [["a0", "a1", "a2"], ["b0", "b1", "b2"]].map { $0.map(PropertyValue.string) }
            let first: [PropertyValue] = [.string("0")]
            let last: [PropertyValue] = [.string("1")]
            #expect(
                names == first + runs[0] + runs[1] + last
                    || names == first + runs[1] + runs[0] + last)
        }
        #expect(try a.store.canonicalHash() == b.store.canonicalHash())
    }

    @Test func `a child that goes to another list has its place there, not in both`() throws {
        let (scenario, a, b) = try pair(3)
        let second = try b.store.insert("List", ["name": .string("M")])
        _ = try b.store.update("Item", b.items[0], ["list": .integer(second)])
        try a.place([a.items[1], a.items[0], a.items[2]], [a.items[0]])
        for store in [a.store, b.store, a.store] { try scenario.zone.sync(store) }
        let holders = try a.store.value("list", of: a.items[0], "Item")
        let isInFirst = holders == .integer(a.list)
        #expect(try a.shown().contains(a.items[0]) == isInFirst)
        #expect(try a.store.conflicts().count + b.store.conflicts().count > 0)
        #expect(try a.store.canonicalHash() == b.store.canonicalHash())
    }

    @Test func `a link that was removed meanwhile is not moved`() throws {
        let scenario = try StoreScenario(model: Self.model())
        var lists = Lists(store: try scenario.open("a"))
        try lists.fill(3)
        try lists.place(lists.items, Set(lists.items), "tags")
        try lists.store.link(lists.list, "tags", lists.items[1], of: "List", isAdded: false)
        var request = SaveRequest()
        request.lists = [
            .init(
                relationship: lists.relationship("tags"), owner: lists.list,
                order: [lists.items[1], lists.items[0], lists.items[2]],
                placed: [lists.items[1]])
        ]
        _ = try lists.store.save(request)
        #expect(try lists.shown("tags") == [lists.items[0], lists.items[2]])
    }

    @Test func `each side of a many-to-many has its own order`() throws {
        let (scenario, a, b) = try pair(3)
        let second = try a.store.insert("List", ["name": .string("M")])
        try a.store.link(second, "tags", a.items[0], of: "List")
        // The order of the item's lists is reversed; the list keeps its items.
        var request = SaveRequest()
        request.lists = [
            .init(
                relationship: a.relationship("tagged", of: "Item"), owner: a.items[0],
                order: [second, a.list], placed: [second])
        ]
        _ = try a.store.save(request)
        for store in [a.store, b.store] { try scenario.zone.sync(store) }
        let tagged = try b.store.read {
            try $0.related(by: b.relationship("tagged", of: "Item"), of: [b.items[0]]).map(\.id)
        }
        #expect(try tagged == [b.store.localID(of: a.store.recordID(of: second)!)!, b.list])
        #expect(try b.shown("tags") == b.items)
    }
}
