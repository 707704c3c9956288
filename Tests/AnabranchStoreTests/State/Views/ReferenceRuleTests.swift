import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of two stores that write the same references concurrently.
@Suite struct `References that view rules hide` {
    let scenario: StoreScenario
    let a: Store
    let b: Store

    init() throws {
        scenario = try StoreScenario(model: `Views of random histories`.model(.deleteWins))
        a = try scenario.open("a", replica: ReplicaID(high: 1, low: 1))
        b = try scenario.open("b", replica: ReplicaID(high: 2, low: 2))
    }

    private func exchange() throws {
        for store in [a, b, a] { try scenario.zone.sync(store) }
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    private func tick() { scenario.clock.milliseconds += 1_000 }

    private func on(_ store: Store, _ id: LocalID) throws -> LocalID {
        try store === a ? id : store.id(of: id, on: a)
    }

    private func find(_ store: Store, _ format: String, of entity: String) throws -> [LocalID] {
        let entity = try #require(scenario.model.entity(named: entity))
        var query = FetchQuery(entity: entity)
        query.predicate = try FetchPredicate(format).resolved(for: entity)
        return try store.read { try $0.identifiers(query) }.sorted()
    }

    /// Returns one folder and two desks. Each store gives the folder to another desk, the second
    /// store later.
    private func quarrel() throws -> (folder: LocalID, first: LocalID, second: LocalID) {
        let folder = try a.insert("Folder", ["name": .string("f")])
        let first = try a.insert("Desk", ["name": .string("first")])
        let second = try a.insert("Desk", ["name": .string("second")])
        try exchange()
        _ = try a.update("Desk", first, ["owner": .integer(folder)])
        tick()
        _ = try b.update("Desk", try on(b, second), ["owner": .integer(try on(b, folder))])
        try exchange()
        return (folder, first, second)
    }

    @Test func `the later of two holders of one target shows it, on both sides`() throws {
        let (folder, first, second) = try quarrel()
        for store in [a, b] {
            let folder = try on(store, folder)
            #expect(try store.value("owner", of: on(store, first), "Desk") == .null)
            #expect(try store.value("owner", of: on(store, second), "Desk") == .integer(folder))
            #expect(try store.related(folder, "desk", of: "Folder") == [on(store, second)])
            #expect(try find(store, "owner == nil", of: "Desk") == [on(store, first)])
            #expect(try find(store, "owner.name == 'f'", of: "Desk") == [on(store, second)])
            #expect(try find(store, "desk.name == 'second'", of: "Folder") == [folder])
            #expect(try find(store, "desk.name == 'first'", of: "Folder") == [])
        }
    }

    @Test func `a record that lost a target shows it when the winner releases it`() throws {
        let (folder, first, second) = try quarrel()
        let result = try a.update("Desk", second, ["owner": .null])
        #expect(try a.value("owner", of: first, "Desk") == .integer(folder))
        // The save reports visible changes that it has not written.
        let shown = try #require(result.shown.entities.first { $0.entity.name == "Desk" })
        #expect(shown.updated.flatMap(\.ids) == [first])
        try exchange()
        #expect(try b.value("owner", of: on(b, first), "Desk") == .integer(on(b, folder)))
    }

    @Test func `a record that lost a target shows it when the winner is deleted`() throws {
        let (folder, first, second) = try quarrel()
        try b.delete(try on(b, second), of: "Desk")
        #expect(try b.value("owner", of: on(b, first), "Desk") == .integer(on(b, folder)))
        let changed = try scenario.zone.pull(into: a)
        #expect(changed.entities.isEmpty)
        try scenario.zone.push(from: b)
        let pulled = try scenario.zone.pull(into: a)
        #expect(try a.value("owner", of: first, "Desk") == .integer(folder))
        let desks = try #require(pulled.entities.first { $0.entity.name == "Desk" })
        #expect(desks.updated.flatMap(\.ids) == [first])
        #expect(desks.deleted == [second])
    }

    @Test func `a save of something else leaves a hidden reference in the state`() throws {
        let (_, first, _) = try quarrel()
        _ = try a.update("Desk", first, ["name": .string("renamed")])
        try exchange()
        var reference = ReferenceMerge()
        for set in scenario.zone.log { try reference.apply(set) }
        #expect(try a.canonicalHash() == reference.canonicalHash)
        let record = try #require(try a.recordID(of: first))
        let cell = reference.state[record]?.cells.first { $0.property.name.string == "owner" }
        #expect(cell?.value.isNull == false)
        #expect(try a.value("owner", of: first, "Desk") == .null)
    }

    /// Returns two folders that the stores put below each other, the second store later.
    private func circle() throws -> (one: LocalID, two: LocalID) {
        let one = try a.insert("Folder", ["name": .string("one")])
        let two = try a.insert("Folder", ["name": .string("two")])
        try exchange()
        _ = try a.update("Folder", one, ["parent": .integer(two)])
        tick()
        _ = try b.update("Folder", try on(b, two), ["parent": .integer(try on(b, one))])
        try exchange()
        return (one, two)
    }

    @Test func `a cycle is cut at the reference that was written last`() throws {
        let (one, two) = try circle()
        for store in [a, b] {
            let (one, two) = (try on(store, one), try on(store, two))
            #expect(try store.value("parent", of: one, "Folder") == .integer(two))
            #expect(try store.value("parent", of: two, "Folder") == .null)
            #expect(try store.related(one, "children", of: "Folder") == [])
            #expect(try store.related(two, "children", of: "Folder") == [one])
            #expect(try find(store, "parent == nil", of: "Folder") == [two])
            #expect(try find(store, "ANY children.name == 'two'", of: "Folder") == [])
        }
    }

    @Test func `a cut reference shows again when the cycle is opened elsewhere`() throws {
        let (one, two) = try circle()
        tick()
        _ = try a.update("Folder", one, ["parent": .null])
        #expect(try a.value("parent", of: two, "Folder") == .integer(one))
        try exchange()
        #expect(try b.value("parent", of: on(b, two), "Folder") == .integer(on(b, one)))
    }

    @Test func `a cut reference shows again when a record of the cycle is deleted`() throws {
        let folders = try ["one", "two", "three"].map {
            try a.insert("Folder", ["name": .string($0)])
        }
        try exchange()
        _ = try a.update("Folder", folders[0], ["parent": .integer(folders[1])])
        _ = try a.update("Folder", folders[1], ["parent": .integer(folders[2])])
        tick()
        _ = try b.update(
            "Folder", try on(b, folders[2]), ["parent": .integer(try on(b, folders[0]))])
        try exchange()
        #expect(try a.value("parent", of: folders[2], "Folder") == .null)
        try b.delete(try on(b, folders[1]), of: "Folder")
        #expect(
            try b.value("parent", of: on(b, folders[2]), "Folder") == .integer(on(b, folders[0])))
        try exchange()
        #expect(try a.value("parent", of: folders[2], "Folder") == .integer(folders[0]))
        #expect(try a.value("parent", of: folders[0], "Folder") == .null)
    }

    @Test func `a save that goes round in a circle is refused`() throws {
        let one = try a.insert("Folder", ["name": .string("one")])
        let two = try a.insert("Folder", ["parent": .integer(one)])
        let three = try a.insert("Folder", ["parent": .integer(two)])
        let hash = try a.canonicalHash()
        for target in [one, two, three] {
            let error = storeError {
                _ = try a.update("Folder", one, ["parent": .integer(target)])
            }
            #expect(error?.code == .cyclicReference)
            #expect(error?.entity == "Folder" && error?.property == "parent")
            #expect(error?.records == [one])
        }
        #expect(try a.canonicalHash() == hash)
        #expect(try a.value("parent", of: one, "Folder") == .null)
    }

    @Test func `a save may nest visible records, whatever is hidden`() throws {
        let (one, two) = try circle()
        let three = try a.insert("Folder", ["parent": .integer(two)])
        tick()
        // Folder two is shown above one and three. Its own parent one is hidden.
        _ = try a.update("Folder", one, ["parent": .integer(three)])
        #expect(try a.value("parent", of: one, "Folder") == .integer(three))
        #expect(try a.value("parent", of: two, "Folder") == .null)
        try exchange()
        #expect(try b.value("parent", of: on(b, one), "Folder") == .integer(on(b, three)))
        #expect(try b.value("parent", of: on(b, two), "Folder") == .null)
    }
}
