import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of attribute groups on stores whose models know some or all of the members.
@Suite struct `Groups of attributes` {
    let scenario: StoreScenario
    let a: Store
    let b: Store

    init() throws {
        scenario = try StoreScenario(model: Self.model(["start", "end", "zone"]))
        a = try scenario.open("a")
        b = try scenario.open("b")
    }

    /// Returns a model of a meeting with one value for its time, with the members that a version of
    /// the app knows.
    static func model(_ members: [String]) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") { AttributeDeclaration("name", .string) }
            EntityDeclaration("Meeting", deletePolicy: .updateWins) {
                AttributeDeclaration("title", .string)
                for name in members {
                    AttributeDeclaration(name, name == "zone" ? .string : .integer32)
                }
                if !members.isEmpty { AttributeGroup("time", attributes: members) }
            }
        }
    }

    private func meeting(_ start: Int64, _ end: Int64) throws -> (here: LocalID, there: LocalID) {
        let id = try a.insert(
            "Meeting", ["title": "M", "start": .integer(start), "end": .integer(end)])
        try exchange()
        return (id, try b.id(of: id, on: a))
    }

    private func exchange(_ stores: [Store]? = nil) throws {
        let stores = stores ?? [a, b]
        for _ in 0..<2 { for store in stores { try scenario.zone.sync(store) } }
        let expected = try scenario.zone.reference().canonicalHash
        for store in stores { #expect(try store.canonicalHash() == expected) }
    }

    private func time(_ store: Store, _ id: LocalID) throws -> [PropertyValue?] {
        try ["start", "end"].map { try store.value($0, of: id, "Meeting") }
    }

    private func set(_ store: Store, _ id: LocalID, _ values: [String: PropertyValue]) throws {
        scenario.clock.milliseconds += 10
        _ = try store.update("Meeting", id, values)
    }

    /// Returns the group's value in the canonical state.
    private func whole(_ store: Store, _ id: LocalID) throws -> PropertyValue? {
        let record = try store.recordID(of: id)
        var found: PropertyValue?
        try store.read { reader in
            try reader.canonicalRecords { canonical in
                guard canonical.id == record else { return }
                let cells = canonical.cells.filter { $0.property.rule == .group }
                #expect(cells.count <= 1)
                found = cells.first?.value
            }
        }
        return found
    }

    private func group(_ members: [(String, WireType, PropertyValue)]) -> PropertyValue {
        GroupValue(members.map { .init(name: WireName($0.0), type: $0.1, value: $0.2) })
            .map(PropertyValue.group) ?? .null
    }

    // MARK: - Merging

    /// Merging each attribute alone would go wrong: each edit keeps the start before the end, and
    /// both together would not.
    @Test func `a start and an end that two change at once never mix`() throws {
        let (here, there) = try meeting(9, 15)
        try set(a, here, ["start": .integer(14)])
        try set(b, there, ["end": .integer(12)])
        try exchange()
        for (store, id) in [(a, here), (b, there)] {
            #expect(try time(store, id) == [.integer(9), .integer(12)])
        }
        try set(b, there, ["end": .integer(10)])
        try set(a, here, ["start": .integer(11)])
        try exchange()
        for (store, id) in [(a, here), (b, there)] {
            #expect(try time(store, id) == [.integer(11), .integer(12)])
        }
    }

    @Test func `two concurrent changes of members leave one whole map and journal the other`()
        throws
    {
        let (here, there) = try meeting(9, 10)
        try set(a, here, ["start": .integer(8)])
        try set(b, there, ["zone": "CET"])
        try exchange()
        let lost = group([
            ("end", .integer32, .integer(10)), ("start", .integer32, .integer(8)),
            ("zone", .string, .null),
        ])
        let winning = group([
            ("end", .integer32, .integer(10)), ("start", .integer32, .integer(9)),
            ("zone", .string, "CET"),
        ])
        for (store, id) in [(a, here), (b, there)] {
            #expect(try time(store, id) == [.integer(9), .integer(10)])
            #expect(try whole(store, id) == winning)
            let conflict = try #require(try store.conflicts().first)
            #expect(try store.conflicts().count == 1)
            #expect(conflict.kind == .concurrentWrite)
            #expect(
                conflict.property == WireProperty(name: "time", type: .group, rule: .group))
            #expect(conflict.value == lost && conflict.winningValue == winning)
        }
    }

    @Test func `contexts are notified of the members that differ`() throws {
        let (here, there) = try meeting(9, 10)
        try set(a, here, ["end": .integer(11)])
        try scenario.zone.push(from: a)
        let changed = try scenario.zone.pull(into: b)
        let entity = try #require(b.model.entity(named: "Meeting"))
        let update = try #require(changed.entities.first?.updated.first)
        #expect(update.ids == [there])
        #expect(update.slots.slots == [entity.slotIndex(named: "end")])
    }

    // MARK: - Saving

    @Test func `a save of one member says all of them, and so does an insert`() throws {
        let (here, _) = try meeting(9, 10)
        try set(a, here, ["title": "other"])
        try set(a, here, ["end": .integer(11)])
        let empty = try a.insert("Meeting", ["title": "without a time"])
        let nothing = group([
            ("end", .integer32, .null), ("start", .integer32, .null), ("zone", .string, .null),
        ])
        #expect(try whole(a, empty) == nothing)
        let blocks = try scenario.lastBlocks(of: a, count: 3)
        guard case .update(let title) = blocks[0], case .update(let time) = blocks[1],
            case .insert(let insert) = blocks[2]
        else {
            Issue.record("found \(blocks)")
            return
        }
        #expect(title.properties.map(\.name) == ["title"])
        #expect(insert.properties.map(\.name) == ["time", "title"])
        #expect(time.properties.map(\.name) == ["time"])
        #expect(try time.columns == [[whole(a, here) ?? .null]])
        try set(a, empty, ["start": .integer(1)])
        try exchange()
    }

    @Test func `a value that is not of its member's type is refused, and nothing is saved`() throws
    {
        let (here, _) = try meeting(9, 10)
        let before = try a.canonicalHash()
        for value in [PropertyValue.integer(1 << 40), .string("noon")] {
            let error = storeError { try set(a, here, ["end": value]) }
            #expect(error?.code == .invalidValue)
            #expect(error?.entity == "Meeting" && error?.property == "time")
            let insertion = storeError { _ = try a.insert("Meeting", ["end": value]) }
            #expect(insertion?.code == .invalidValue)
        }
        #expect(try a.canonicalHash() == before)
    }

    @Test func `members are columns of their own`() throws {
        _ = try meeting(9, 10)
        let found = try scenario.sql(
            "a", #"SELECT title FROM Meeting WHERE start < "end" AND zone IS NULL"#)
        #expect(found == [[.text("M")]])
        let held = try scenario.sql("a", "SELECT count(*) FROM ab_deferred_cell")
        #expect(held == [[.integer(0)]])
    }

    // MARK: - Skew

    @Test func `an older model carries the members that it does not know`() throws {
        let old = try scenario.open("old", model: Self.model(["start"]))
        let none = try scenario.open("none", model: Self.model([]))
        let stores = [a, b, old, none]
        let (here, _) = try meeting(9, 10)
        try set(a, here, ["zone": "CET"])
        try exchange(stores)
        let inOld = try old.id(of: here, on: a)
        try set(old, inOld, ["start": .integer(7)])
        try exchange(stores)
        #expect(try time(a, here) == [.integer(7), .integer(10)])
        #expect(try a.value("zone", of: here, "Meeting") == "CET")
        try set(a, here, ["start": .integer(6), "end": .integer(8)])
        try set(a, here, ["title": "of the old one, too"])
        try exchange(stores)
        #expect(try old.value("start", of: inOld, "Meeting") == .integer(6))
        #expect(try whole(old, inOld) == whole(a, here))
    }

    @Test func `an older model leaves members that it does not know unwritten, not null`() throws {
        let old = try scenario.open("old", model: Self.model(["start"]))
        let id = try old.insert("Meeting", ["start": .integer(3)])
        try exchange([a, b, old])
        let here = try a.id(of: id, on: old)
        #expect(try time(a, here) == [.integer(3), .null])
        #expect(try whole(a, here) == group([("start", .integer32, .integer(3))]))
        try set(a, here, ["title": "no time"])
        try exchange([a, b, old])
        #expect(try whole(a, here) == group([("start", .integer32, .integer(3))]))
        try set(a, here, ["end": .integer(4)])
        try exchange([a, b, old])
        #expect(try time(a, here) == [.integer(3), .integer(4)])
        #expect(try whole(old, id) == whole(a, here))
    }

    @Test func `a lost map has the members that its reader does not know`() throws {
        let old = try scenario.open("old", model: Self.model(["start"]))
        let (here, _) = try meeting(9, 10)
        try exchange([a, b, old])
        try set(a, here, ["end": .integer(11)])
        try set(old, old.id(of: here, on: a), ["start": .integer(8)])
        try exchange([a, b, old])
        let lost = try old.conflicts().map(\.value)
        #expect(try lost == a.conflicts().map(\.value))
        guard case .group(let value)? = lost.first else {
            Issue.record("nothing was lost")
            return
        }
        #expect(value["end", .integer32] == .integer(11))
        #expect(try time(a, here) == [.integer(8), .integer(10)])
    }

    // MARK: - Deletes, repair, snapshots

    @Test func `a write of a member brings back what was deleted without it, whole`() throws {
        let (here, there) = try meeting(9, 10)
        let old = try scenario.open("old", model: Self.model(["start"]))
        try exchange([a, b, old])
        let row = try #require(try b.row("Meeting", there))
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(there, row.version)])]
        _ = try b.save(request)
        try set(old, old.id(of: here, on: a), ["start": .integer(1)])
        try exchange([a, b, old])
        #expect(try time(b, there) == [.integer(1), .integer(10)])
        let record = try #require(try a.row("Meeting", here))
        request.deletes = [.init(entity: record.entity, rows: [(here, record.version)])]
        _ = try a.save(request)
        try exchange([a, b, old])
        #expect(try b.row("Meeting", there) == nil)
        #expect(try old.row("Meeting", old.id(of: here, on: a)) == nil)
    }

    @Test func `repairs and snapshots bring whole groups`() throws {
        let old = try scenario.open("old", model: Self.model(["start"]))
        let (here, _) = try meeting(9, 10)
        let bare = try old.insert("Meeting", ["start": .integer(3)])
        let empty = try a.insert("Meeting", ["title": "without a time"])
        try exchange([a, b, old])
        let reference = try scenario.zone.reference()
        let place = try #require(try old.syncState().cursor)
        for store in [a, old] {
            _ = try store.repair(
                reference.state.keys.sorted().map { reference.image(of: $0) },
                at: CausalContext.Prefix(epoch: place.epoch, position: place.position))
            #expect(try store.canonicalHash() == reference.canonicalHash)
        }
        let chunks = try SnapshotChunk.chunks(of: reference, log: scenario.zone.log, records: 2)
        for (name, members) in [("full", ["start", "end", "zone"]), ("part", ["start"])] {
            let new = try scenario.open(name, model: Self.model(members))
            try new.load(chunks, at: place)
            #expect(try new.canonicalHash() == reference.canonicalHash)
            #expect(
                try new.value("start", of: new.id(of: here, on: a), "Meeting") == .integer(9))
            #expect(
                try new.value("start", of: new.id(of: bare, on: old), "Meeting") == .integer(3))
            #expect(try new.value("start", of: new.id(of: empty, on: a), "Meeting") == .null)
            try set(new, new.id(of: here, on: a), ["start": .integer(2)])
            try exchange([a, b, old, new])
            #expect(try time(a, here) == [.integer(2), .integer(10)])
        }
    }

    @Test func `a bundle brings whole groups`() throws {
        let old = try scenario.open("old", model: Self.model(["start"]))
        let id = try a.insert("Meeting", ["start": .integer(9), "end": .integer(10)])
        let file = scenario.path("all.bundle")
        _ = try a.exportBundle(to: file)
        _ = try old.importBundle(from: file) { _ in }
        try set(old, old.id(of: id, on: a), ["start": .integer(8)])
        let back = scenario.path("back.bundle")
        _ = try old.exportBundle(to: back)
        _ = try a.importBundle(from: back) { _ in }
        #expect(try time(a, id) == [.integer(8), .integer(10)])
        #expect(try a.canonicalHash() == old.canonicalHash())
    }

    @Test func `a group is no attribute of its name, and a member none by itself`() throws {
        let loose = try ManagedObjectModel {
            EntityDeclaration("Meeting") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("start", .integer32)
            }
        }
        let other = try scenario.open("loose", model: loose)
        let (here, _) = try meeting(9, 10)
        try exchange([a, b, other])
        let there = try other.id(of: here, on: a)
        #expect(try other.value("start", of: there, "Meeting") == .null)
        try set(other, there, ["start": .integer(1)])
        try exchange([a, b, other])
        #expect(try time(a, here) == [.integer(9), .integer(10)])
    }
}

extension StoreScenario {
    /// Returns the first blocks of a store's last saves, the earliest first.
    fileprivate func lastBlocks(of store: Store, count: Int) throws -> [ChangeBlock] {
        try store.pending(byteLimit: .max).suffix(count).compactMap {
            try $0.changeSet.decodedPayload().blocks.first
        }
    }
}
