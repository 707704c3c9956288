import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `A uniqueness constraint` {
    let scenario: StoreScenario
    let store: Store

    init() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("email", .string)
                AttributeDeclaration("first", .string)
                AttributeDeclaration("last", .string)
                AttributeDeclaration("amount", .decimal)
                UniquenessConstraint("email")
                UniquenessConstraint("first", "last")
                UniquenessConstraint("amount")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("badge", .integer64)
                UniquenessConstraint("badge")
            }
            EntityDeclaration("Guest", parent: "Person") {
                AttributeDeclaration("room", .integer64)
            }
        }
        scenario = try StoreScenario(model: model)
        store = try scenario.open("a")
    }

    private func expectConflict(
        with id: LocalID, _ property: String, _ body: () throws -> Void
    ) throws {
        let hash = try store.canonicalHash()
        let error = storeError(body)
        #expect(error?.code == .constraintConflict)
        #expect(error?.records.contains(id) == true)
        #expect(error?.property == property)
        #expect(try store.canonicalHash() == hash)
    }

    @Test func `is kept by inserts and updates, in the whole hierarchy`() throws {
        let anna = try store.insert("Person", ["email": .string("a@x")])
        try expectConflict(with: anna, "email") {
            try store.insert("Person", ["email": .string("a@x")])
        }
        try expectConflict(with: anna, "email") {
            try store.insert("Employee", ["email": .string("a@x")])
        }
        let guest = try store.insert("Guest", ["email": .string("g@x")])
        try expectConflict(with: anna, "email") {
            _ = try store.update("Guest", guest, ["email": .string("a@x")])
        }
        _ = try store.update("Person", anna, ["email": .string("b@x")])
        _ = try store.update("Guest", guest, ["email": .string("a@x")])
    }

    @Test func `a constraint of a sub-entity holds among its own records`() throws {
        let first = try store.insert("Employee", ["badge": .integer(1)])
        try expectConflict(with: first, "badge") {
            try store.insert("Employee", ["badge": .integer(1)])
        }
        try store.insert("Guest", ["room": .integer(1)])
        try store.insert("Guest", ["room": .integer(1)])
    }

    @Test func `a constraint of several attributes is violated only if all are equal`() throws {
        let first = try store.insert("Person", ["first": .string("A"), "last": .string("B")])
        try store.insert("Person", ["first": .string("A"), "last": .string("C")])
        let other = try store.insert("Person", ["first": .string("B"), "last": .string("B")])
        try expectConflict(with: first, "first") {
            try store.insert("Guest", ["first": .string("A"), "last": .string("B")])
        }
        try expectConflict(with: first, "first") {
            _ = try store.update("Person", other, ["first": .string("A")])
        }
    }

    @Test func `does not hold for null`() throws {
        for _ in 0..<3 {
            try store.insert("Person", ["first": .string("A"), "last": .null])
        }
        #expect(try store.pendingSaves().count == 3)
    }

    @Test func `compares decimals by value and text by bytes`() throws {
        let amount = try store.insert("Person", ["amount": EveryType.decimal("1.50")])
        try expectConflict(with: amount, "amount") {
            try store.insert("Person", ["amount": EveryType.decimal("1.5")])
        }
        try store.insert("Person", ["email": .string("\u{E9}")])
        try store.insert("Person", ["email": .string("e\u{301}")])
    }

    @Test func `is checked against the state after the whole save`() throws {
        let a = try store.insert("Person", ["email": .string("a")])
        let b = try store.insert("Person", ["email": .string("b")])
        let person = scenario.model.entity(named: "Person")!
        let slot = person.slotIndex(named: "email")!
        let rows = try [a, b].map { try store.row("Person", $0)! }
        var request = SaveRequest()
        request.updates = [
            .init(
                entity: person, slots: [slot],
                rows: zip(rows, rows.reversed()).map { row, other in
                    var slots = row.slots
                    slots[slot] = other.slots[slot]
                    return (row.id, row.version, slots)
                })
        ]
        _ = try store.save(request)
        #expect(try store.value("email", of: a) == .string("b"))
        #expect(try store.value("email", of: b) == .string("a"))
    }

    @Test func `never refuses what another replica saved`() throws {
        let other = try scenario.open("b")
        try store.insert("Person", ["email": .string("same")])
        try other.insert("Person", ["email": .string("same")])
        for _ in 0..<2 { for store in [store, other] { try scenario.zone.sync(store) } }
        #expect(try store.canonicalHash() == other.canonicalHash())
        #expect(
            try scenario.sql("a", "SELECT count(*) FROM Person WHERE email = 'same'")
                == [[.integer(1)]])
        #expect(try scenario.sql("a", "SELECT count(*) FROM ab_shadow") == [[.integer(2)]])
    }
}
