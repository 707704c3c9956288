import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of two stores that concurrently insert and change records with one key.
@Suite struct `Records that hold one unique key` {
    let scenario: StoreScenario
    let a: Store
    let b: Store

    init() throws {
        scenario = try StoreScenario(model: DuplicateWorld.model(.deleteWins))
        // The identities of store `a` are the smaller ones.
        a = try scenario.open("a", replica: ReplicaID(high: 1, low: 1))
        b = try scenario.open("b", replica: ReplicaID(high: 2, low: 2))
    }

    private func exchange() throws {
        for store in [a, b, a] { try scenario.zone.sync(store) }
        let hash = try scenario.zone.reference().canonicalHash
        #expect(try a.canonicalHash() == hash && b.canonicalHash() == hash)
        #expect(try a.checksum() == b.checksum())
    }

    private func tick() { scenario.clock.milliseconds += 1_000 }

    private func on(_ store: Store, _ id: LocalID) throws -> LocalID {
        try store === a ? id : store.id(of: id, on: a)
    }

    /// Returns one person of each store with the same address; store `b` inserts later.
    private func pair(
        _ first: [String: PropertyValue] = [:], _ second: [String: PropertyValue] = [:]
    ) throws -> (first: LocalID, second: LocalID) {
        let email: [String: PropertyValue] = ["email": .string("e")]
        let one = try a.insert("Person", email.merging(first) { $1 })
        tick()
        let other = try b.insert("Person", email.merging(second) { $1 })
        try exchange()
        return (one, try a.id(of: other, on: b))
    }

    private func people(_ store: Store, _ format: String = "TRUEPREDICATE") throws -> [LocalID] {
        let entity = try #require(scenario.model.entity(named: "Person"))
        var query = FetchQuery(entity: entity)
        query.predicate = try FetchPredicate(format).resolved(for: entity)
        return try store.read { try $0.identifiers(query) }.sorted()
    }

    @Test func `are counted as one change set each if a bundle brings them`() throws {
        _ = try a.insert("Person", ["email": .string("e")])
        _ = try b.insert("Person", ["email": .string("e")])
        let bundle = try scenario.bundle(b, as: "b.bundle")
        let outcome = try a.importBundle(from: bundle) { _ in }
        #expect((outcome.appliedCount, outcome.heldCount) == (1, 0))
        #expect(try people(a).count == 1)
    }

    @Test func `show as one with the merge of all, on every store`() throws {
        let (first, second) = try pair(
            ["name": .string("old"), "visits": .integer(2), "best": .integer(9)],
            ["name": .string("new"), "visits": .integer(5), "best": .integer(3)])
        for store in [a, b] {
            let id = try on(store, first)
            #expect(try people(store) == [id])
            #expect(try people(store, "name == 'new' AND visits == 7 AND best == 9") == [id])
            #expect(try people(store, "name == 'old'") == [])
            #expect(try store.row("Person", on(store, second)) == nil)
            let groups = try store.read { try $0.duplicates() }
            #expect(groups.map(\.id) == [id])
            let hidden = try #require(try store.recordID(of: on(store, second)))
            let visible = try #require(try store.recordID(of: id))
            #expect(groups.first?.members == [visible, hidden])
            #expect(groups.first?.hidden.map(\.held.value) == [.string("old")])
            #expect(try store.read { try $0.duplicateCount() } == 1)
            #expect(try store.read { try $0.duplicates(offset: 1) }.isEmpty)
            let team = try #require(scenario.model.entity(named: "Team"))
            #expect(try store.read { try $0.duplicates(of: team) }.isEmpty)
            #expect(try store.pendingSaves().count == 0, "Nothing was written.")
        }
    }

    @Test func `report to contexts what disappears and what appears`() throws {
        let first = try a.insert("Person", ["email": .string("e")])
        let second = try b.insert("Person", ["email": .string("e")])
        try scenario.zone.push(from: a)
        let merged = try scenario.zone.pull(into: b)
        let gone = try #require(merged.entities.first { $0.entity.name == "Person" })
        #expect(gone.deleted == [second])
        let arrived = try b.id(of: first, on: a)
        #expect(gone.inserted == [arrived])
        try scenario.zone.push(from: b)
        let met = try #require(
            try scenario.zone.pull(into: a).entities.first { $0.entity.name == "Person" })
        #expect(met.deleted.isEmpty && met.inserted.isEmpty)
        #expect(Array(met.updatedIDs) == [first])
    }

    @Test func `are connected over several keys, and part where one is changed`() throws {
        let c = try scenario.open("c", replica: ReplicaID(high: 3, low: 3))
        let one = try a.insert("Person", ["email": .string("e"), "name": .string("one")])
        tick()
        try b.insert("Person", ["code": .integer(7), "name": .string("three")])
        tick()
        let middle = try c.insert(
            "Person", ["email": .string("e"), "code": .integer(7), "name": .string("two")])
        try exchange()
        #expect(try people(a).count == 2)
        try scenario.zone.push(from: a)
        // A store that has one of them only removes it from the middle.
        for store in [a, b] {
            try c.send(to: store, in: scenario)
            #expect(try people(store) == [on(store, one)])
            #expect(try store.value("name", of: on(store, one)) == .string("two"))
        }
        tick()
        _ = try c.update("Person", middle, ["email": .string("other"), "code": .integer(8)])
        for store in [a, b] {
            try c.send(to: store, in: scenario)
            #expect(try people(store).count == 3)
            #expect(try store.value("name", of: on(store, one)) == .string("one"))
            #expect(try people(store, "name == 'three' AND code == 7").count == 1)
            #expect(try people(store, "name == 'two' AND code == 8").count == 1)
            #expect(try store.read { try $0.duplicateCount() } == 0)
        }
    }

    @Test func `are deleted together by a store that sees them as one`() throws {
        let (first, _) = try pair()
        try b.delete(on(b, first), of: "Person")
        try exchange()
        for store in [a, b] {
            #expect(try people(store).isEmpty)
            var count = 0
            try store.read { try $0.canonicalRecords { _ in count += 1 } }
            #expect(count == 0)
        }
    }

    @Test func `a duplicate that a deletion had not seen appears again`() throws {
        let first = try a.insert("Person", ["email": .string("e"), "name": .string("one")])
        try scenario.zone.sync(a)
        let c = try scenario.open("c", replica: ReplicaID(high: 3, low: 3))
        try scenario.zone.sync(c)
        let second = try b.insert("Person", ["email": .string("e"), "name": .string("two")])
        try exchange()
        #expect(try people(b) == [try on(b, first)])
        try c.delete(c.id(of: first, on: a), of: "Person")
        try scenario.zone.sync(c)
        try exchange()
        #expect(try people(b, "name == 'two'") == [second])
        #expect(try people(c, "name == 'two'") == people(c))
        try scenario.zone.sync(c)
        #expect(try people(c).count == 1)
    }

    @Test func `get a new key together, and part where they have none`() throws {
        let (first, second) = try pair()
        tick()
        _ = try a.update("Person", first, ["email": .string("new")])
        try exchange()
        for store in [a, b] {
            #expect(try people(store, "email == 'new'") == [on(store, first)])
            #expect(try people(store).count == 1)
        }
        tick()
        let result = try a.update("Person", first, ["email": .null])
        let shown = try #require(result.shown.entities.first { $0.entity.name == "Person" })
        #expect(shown.inserted == [second])
        try exchange()
        for store in [a, b] {
            #expect(try people(store, "email == nil").count == 2)
        }
    }

    @Test func `take edits of the visible one, and add to what a counter shows`() throws {
        let (first, _) = try pair(["visits": .integer(2)], ["visits": .integer(5)])
        tick()
        _ = try a.update("Person", first, ["visits": .integer(10), "name": .string("edited")])
        _ = try b.update("Person", on(b, first), ["visits": .integer(8)])
        try exchange()
        for store in [a, b] {
            #expect(try store.value("visits", of: on(store, first)) == .integer(11))
            #expect(try store.value("name", of: on(store, first)) == .string("edited"))
        }
    }

    @Test func `show a value that only one has, whichever was later, until it is removed`() throws {
        let parent = try a.insert("Person", ["name": .string("parent")])
        try exchange()
        let (first, second) = try pair(
            ["name": .string("only"), "parent": .integer(parent), "start": .integer(7)])
        for store in [a, b] {
            let id = try on(store, first)
            #expect(try store.value("name", of: id) == .string("only"))
            #expect(try store.value("parent", of: id) == .integer(on(store, parent)))
            #expect(try store.value("start", of: id) == .integer(7))
        }
        tick()
        let taken: [String: PropertyValue] = ["name": .null, "parent": .null, "start": .null]
        _ = try b.update("Person", on(b, first), taken)
        try exchange()
        for store in [a, b] {
            for name in taken.keys {
                #expect(try store.value(name, of: on(store, first)) == .null, "\(name)")
            }
        }
        // The key is removed from all of them, also where they show separately.
        tick()
        _ = try a.update("Person", first, ["email": .null])
        try exchange()
        for store in [a, b] {
            for id in [first, second] {
                #expect(try store.value("name", of: on(store, id)) == .null)
            }
        }
    }

    @Test func `keep both of what was written beside each other, until one is written`() throws {
        let (first, second) = try pair(["note": .string("one")], ["note": .string("two")])
        let c = try scenario.open("c", replica: ReplicaID(high: 3, low: 3))
        try scenario.zone.sync(c)
        func notes(_ store: Store) throws -> [PropertyValue] {
            var found: [PropertyValue] = []
            try store.read { reader in
                try reader.canonicalRecords { record in
                    found += record.cells.filter { $0.property.name == "note" }.map(\.value)
                }
            }
            return found.sorted { "\($0)" < "\($1)" }
        }
        #expect(try notes(a) == [.string("one"), .string("two")])
        // Two stores concurrently write to the record that both show as one.
        tick()
        _ = try b.update("Person", on(b, first), ["note": .string("three")])
        tick()
        _ = try c.update("Person", c.id(of: first, on: a), ["note": .string("four")])
        try exchange()
        try scenario.zone.sync(c)
        try exchange()
        let both: [PropertyValue] = [
            .string("four"), .string("four"), .string("three"), .string("three"),
        ]
        for store in [a, b] {
            #expect(try notes(store) == both)
            #expect(try store.value("note", of: on(store, first)) == .string("four"))
        }
        tick()
        _ = try a.update("Person", first, ["note": .string("five")])
        try exchange()
        for store in [a, b] {
            #expect(try notes(store) == [.string("five"), .string("five")])
            #expect(try store.row("Person", on(store, second)) == nil)
        }
    }

    @Test func `refuse a write that does not win against all of them`() throws {
        let (first, _) = try pair(["best": .integer(2)], ["best": .integer(5)])
        let error = storeError { _ = try a.update("Person", first, ["best": .integer(4)]) }
        #expect(error?.code == .cannotWin)
        #expect(error?.records == [first])
        _ = try a.update("Person", first, ["best": .integer(6)])
        #expect(try a.value("best", of: first) == .integer(6))
    }

    @Test func `refuse a save that would join them, also by a key that is not shown`() throws {
        let (first, _) = try pair(["code": .integer(1)], ["code": .integer(2)])
        #expect(try a.value("code", of: first) == .integer(2))
        for code: Int64 in [1, 2] {
            let hash = try a.canonicalHash()
            let error = storeError { try a.insert("Person", ["code": .integer(code)]) }
            #expect(error?.code == .constraintConflict)
            #expect(error?.property == "code")
            #expect(error?.records.contains(first) == true)
            #expect(try a.canonicalHash() == hash)
        }
        let other = try a.insert("Person", ["code": .integer(3)])
        let error = storeError { _ = try a.update("Person", other, ["code": .integer(1)]) }
        #expect(error?.code == .constraintConflict)
        #expect(try people(a).count == 2)
    }

    @Test func `have all references and links point to the visible one`() throws {
        let child = try b.insert("Person", ["name": .string("child")])
        let team = try b.insert("Team", ["title": .string("t")])
        let hidden = try b.insert("Person", ["email": .string("e"), "name": .string("p")])
        _ = try b.update("Person", child, ["parent": .integer(hidden)])
        try b.link(hidden, "teams", team)
        let first = try a.insert("Person", ["email": .string("e")])
        try exchange()
        for store in [a, b] {
            let id = try on(store, first)
            let other = store === b ? child : try a.id(of: child, on: b)
            #expect(try store.value("parent", of: other) == .integer(id))
            #expect(try store.related(id, "children") == [other])
            #expect(try store.related(id, "teams").count == 1)
            #expect(try people(store, "parent.email == 'e'") == [other])
            #expect(try people(store, "ANY children.name == 'child'") == [id])
            #expect(try people(store, "ANY teams.title == 't'") == [id])
        }
        // Removing the visible link removes the stored one.
        try a.link(first, "teams", a.id(of: team, on: b), isAdded: false)
        try exchange()
        for store in [a, b] { #expect(try store.related(on(store, first), "teams").isEmpty) }
    }

    @Test func `have a version of their own when what they show changes`() throws {
        let (first, second) = try pair()
        let stale = try #require(try a.row("Person", first))
        tick()
        // No store writes to the visible record, but what it shows changes.
        let c = try scenario.open("c", replica: ReplicaID(high: 3, low: 3))
        try scenario.zone.sync(c)
        _ = try c.update("Person", c.id(of: first, on: a), ["email": .string("x")])
        try scenario.zone.sync(c)
        try exchange()
        let error = storeError {
            _ = try a.update("Person", first, ["name": .string("n")], version: stale.version)
        }
        #expect(error?.code == .mergeConflict)
        #expect(error?.records == [first])
        _ = second
        // A save that only links the record does not change its version.
        let before = try #require(try a.row("Person", first))
        let team = try a.insert("Team", ["title": .string("t")])
        try a.link(first, "teams", team)
        #expect(try a.row("Person", first)?.version == before.version)
    }
}
