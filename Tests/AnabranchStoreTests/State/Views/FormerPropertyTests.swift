import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of an attribute that has another type in a later version of the model.
@Suite struct `An attribute with a wider type` {
    let scenario: StoreScenario
    let old: Store
    let new: Store
    /// The record, which the old version has inserted with the age 7.
    let onOld: LocalID
    let onNew: LocalID

    init() throws {
        scenario = try StoreScenario(model: try Self.model(age: .integer16))
        old = try scenario.open("old")
        onOld = try old.insertPerson("Anna", age: 7)
        try scenario.zone.sync(old)
        new = try scenario.open("new", model: try Self.model(age: .string))
        try scenario.zone.pull(into: new)
        onNew = try new.id(of: onOld, on: old)
        scenario.clock.milliseconds += 1000
    }

    static func model(
        age: AttributeType, isUnique: Bool = false, deletePolicy: DeletePolicy = .deleteWins
    ) throws -> ManagedObjectModel {
        let plain = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", age)
            }
        }
        var declaration = plain.declaration
        declaration.entities[0].deletePolicy = deletePolicy
        if isUnique {
            declaration.entities[0].uniquenessConstraints = [UniquenessConstraint("age")]
        }
        return try ManagedObjectModel(declaration)
    }

    private func exchange() throws {
        for store in [old, new, old, new] { try scenario.zone.sync(store) }
        let reference = try scenario.zone.reference().canonicalHash
        #expect(try old.canonicalHash() == reference && new.canonicalHash() == reference)
        for store in [old, new] { #expect(try store.check().isValid) }
    }

    private func migrated(_ name: String) throws -> Store {
        try scenario.open(name, model: new.model)
    }

    @Test func `shows the former value after a migration, which writes nothing to the log`() throws
    {
        let hash = try old.canonicalHash()
        old.close()
        let store = try migrated("old")
        #expect(try store.value("age", of: onOld) == .string("7"))
        #expect(try store.canonicalHash() == hash)
        #expect(try store.pending(byteLimit: .max).isEmpty && store.check().isValid)
        #expect(try ShownState(store) == ShownState(new))
        try store.set("age", .string("seven"), of: onOld)
        #expect(try store.value("age", of: onOld) == .string("seven") && store.check().isValid)
    }

    @Test func `shows the later of the writes of both versions`() throws {
        try new.set("age", .string("eight"), of: onNew)
        try exchange()
        #expect(try new.value("age", of: onNew) == .string("eight"))
        // The old version does not convert back.
        #expect(try old.value("age", of: onOld) == .integer(7))
        scenario.clock.milliseconds += 1000
        try old.set("age", .integer(9), of: onOld)
        try exchange()
        #expect(try new.value("age", of: onNew) == .string("9"))
        #expect(try new.conflicts().isEmpty)
        scenario.clock.milliseconds += 1000
        try new.set("age", .string("ten"), of: onNew)
        #expect(try new.value("age", of: onNew) == .string("ten"))
        try exchange()
        #expect(try new.value("age", of: onNew) == .string("ten"))
        old.close()
        #expect(try ShownState(migrated("old")) == ShownState(new))
    }

    @Test func `records a write of another version that an edit has not seen, or refuses the edit`()
        throws
    {
        let seen = RowVersion(try new.historyProgress().position)
        try old.set("age", .integer(8), of: onOld)
        for store in [old, new] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 1000
        let error = storeError {
            try new.set("age", .string("nine"), of: onNew, seen: seen, isRefusing: true)
        }
        #expect(error?.code == .mergeConflict)
        #expect(try new.value("age", of: onNew) == .string("8") && new.conflicts().isEmpty)
        try new.set("age", .string("nine"), of: onNew, seen: seen)
        let conflict = try #require(try new.conflicts().first)
        #expect(try new.conflicts().count == 1)
        #expect(conflict.value == .string("8") && conflict.winningValue == .string("nine"))
        try exchange()
    }

    @Test(arguments: [true, false])
    func `records a concurrent write of another version that loses once`(isOldLater: Bool) throws {
        if isOldLater {
            try new.set("age", .string("new"), of: onNew)
            scenario.clock.milliseconds += 1000
            try old.set("age", .integer(8), of: onOld)
        } else {
            try old.set("age", .integer(8), of: onOld)
            scenario.clock.milliseconds += 1000
            try new.set("age", .string("new"), of: onNew)
        }
        let other = try migrated("other")
        try exchange()
        try scenario.zone.pull(into: other)
        let values: [PropertyValue] = [.string("new"), .string("8")]
        for store in [new, other] {
            let conflict = try #require(try store.conflicts().first)
            #expect(try store.conflicts().count == 1)
            #expect(conflict.property == WireProperty(name: "age", type: .string))
            #expect(conflict.value == values[isOldLater ? 0 : 1])
            #expect(conflict.winningValue == values[isOldLater ? 1 : 0])
            #expect(
                try store.value("age", of: store.id(of: onOld, on: old))
                    == values[isOldLater ? 1 : 0])
        }
    }

    @Test func `gives a row that shows another value another version, and reports it`() throws {
        let row = try #require(try new.row("Person", onNew))
        try old.set("age", .integer(9), of: onOld)
        try scenario.zone.push(from: old)
        let changes = try scenario.zone.pull(into: new)
        let slot = try #require(row.entity.slotIndex(named: "age"))
        #expect(changes.entities.map(\.updated.count) == [1])
        #expect(changes.entities.first?.updated.first?.ids == [onNew])
        #expect(changes.entities.first?.updated.first?.slots.contains(slot) == true)
        let error = storeError {
            _ = try new.update("Person", onNew, ["age": .string("x")], version: row.version)
        }
        #expect(error?.code == .mergeConflict)
        _ = try new.update("Person", onNew, ["name": .string("Anne")])
        #expect(try new.value("age", of: onNew) == .string("9"))
    }

    @Test func `leaves the version of a row that shows the same as before`() throws {
        try new.set("age", .string("late"), of: onNew)
        let row = try #require(try new.row("Person", onNew))
        try scenario.zone.push(from: new)
        scenario.clock.milliseconds -= 500
        try old.set("age", .integer(9), of: onOld)
        try scenario.zone.push(from: old)
        let changes = try scenario.zone.pull(into: new)
        #expect(try new.value("age", of: onNew) == .string("late") && changes.isEmpty)
        #expect(try new.row("Person", onNew)?.version == row.version)
    }

    @Test func `is a unique key by what it shows`() throws {
        func store(_ name: String, _ type: AttributeType) throws -> Store {
            try scenario.open(name, model: Self.model(age: type, isUnique: true))
        }
        let (one, two) = (try store("unique", .integer64), try store("unique new", .string))
        let first = try two.insert("Person", ["name": .string("A"), "age": .string("5")])
        try scenario.zone.sync(two)
        let second = try one.insert("Person", ["name": .string("B"), "age": .integer(5)])
        for store in [one, two] { try scenario.zone.sync(store) }
        let merged = [first, try two.id(of: second, on: one)]
        #expect(try merged.compactMap { try two.row("Person", $0) }.count == 1)
        #expect(
            storeError { try two.insert("Person", ["age": .string("5")]) }?.code
                == .constraintConflict)
        #expect(
            storeError { try two.insert("Person", ["age": .string("7")]) }?.code
                == .constraintConflict)
        one.close()
        let migrated = try store("unique", .string)
        #expect(try ShownState(migrated) == ShownState(two) && migrated.check().isValid)
        // A former value that takes the record out of its set.
        two.close()
        let again = try store("unique old", .integer64)
        try scenario.zone.pull(into: again)
        _ = try again.update("Person", again.id(of: second, on: migrated), ["age": .integer(6)])
        for store in [again, migrated] { try scenario.zone.sync(store) }
        #expect(try migrated.value("age", of: second) == .string("6"))
    }

    @Test func `revives a record with a former value that a delete had not seen`() throws {
        func store(_ name: String, _ type: AttributeType) throws -> Store {
            try scenario.open(
                name, model: Self.model(age: type, deletePolicy: .updateWins))
        }
        let (one, two) = (try store("one", .integer64), try store("two", .string))
        let anna = try one.insertPerson("Anna", age: 1)
        for store in [one, two] { try scenario.zone.sync(store) }
        let there = try two.id(of: anna, on: one)
        try two.set("age", .string("hidden"), of: there)
        for store in [two, one] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 1000
        try one.set("age", .integer(2), of: anna)
        try two.delete(there)
        #expect(try two.row("Person", there) == nil)
        for store in [one, two] { try scenario.zone.sync(store) }
        #expect(try two.value("age", of: there) == .string("2"))
        #expect(try two.canonicalHash() == scenario.zone.reference().canonicalHash)
    }

    @Test func `waits for the version that adds the attribute again`() throws {
        old.close()
        let without = try scenario.changedModel { declaration in
            declaration.entities[0].attributes.removeAll { $0.name == "age" }
        }
        try scenario.open("old", model: without).close()
        let store = try scenario.open("old", model: try Self.model(age: .double))
        #expect(try store.value("age", of: onOld) == .double(7))
        #expect(try store.check().isValid)
    }

    @Test func `is restored by a repair and by a snapshot`() throws {
        try new.set("age", .string("own"), of: onNew)
        scenario.clock.milliseconds += 1000
        try exchange()
        try old.set("age", .integer(9), of: onOld)
        try exchange()
        let shown = try ShownState(new)
        let record = try #require(try new.recordID(of: onNew))
        let reference = try scenario.zone.reference()
        let place = CausalContext.Prefix(
            epoch: scenario.zone.epoch, position: UInt64(scenario.zone.log.count))
        _ = try new.repair([reference.image(of: record)], at: place)
        #expect(try ShownState(new) == shown && new.canonicalHash() == reference.canonicalHash)
        let other = try migrated("other")
        try other.load(
            SnapshotChunk.chunks(of: reference, log: scenario.zone.log, records: 5),
            at: #require(try new.syncState().cursor))
        #expect(try ShownState(other) == shown && other.canonicalHash() == reference.canonicalHash)
    }
}

/// Tests of a value of a former property that a merged duplicate shows.
@Suite struct `A former property of a merged duplicate` {
    private static func model(_ rule: MergeRule) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                UniquenessConstraint("name")
                AttributeDeclaration("name", .string)
                AttributeDeclaration("rank", .integer16, mergeRule: rule)
            }
        }
    }

    @Test func `was written first, so a later write of the surviving record is refused`() throws {
        let scenario = try StoreScenario(model: Self.model(.max))
        let old = try scenario.open("old", replica: ReplicaID(high: 2, low: 1))
        let new = try scenario.open(
            "new", model: Self.model(.firstWriter), replica: ReplicaID(high: 1, low: 1))
        try old.insert("Person", ["name": "Anna", "rank": .integer(2)])
        let anna = try new.insert("Person", ["name": "Anna"])
        for _ in 0..<2 { for store in [old, new] { try scenario.zone.sync(store) } }
        #expect(try new.value("rank", of: anna) == .integer(2))
        scenario.clock.milliseconds += 10
        let error = storeError { try new.set("rank", .integer(1), of: anna) }
        #expect(error?.code == .cannotWin)
        #expect(try new.value("rank", of: anna) == .integer(2))
    }

    @Test func `was written first, so an edit that has not seen it yields`() throws {
        let scenario = try StoreScenario(model: Self.model(.max))
        let old = try scenario.open("old")
        let anna = try old.insert("Person", ["name": "Anna"])
        try scenario.zone.sync(old)
        let new = try scenario.open("new", model: Self.model(.firstWriter))
        try scenario.zone.pull(into: new)
        let seen = RowVersion(try new.historyProgress().position)
        try old.set("rank", .integer(2), of: anna)
        for store in [old, new] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 10
        let here = try new.id(of: anna, on: old)
        try new.set("rank", .integer(1), of: here, seen: seen)
        #expect(try new.value("rank", of: here) == .integer(2))
        #expect(try new.conflicts().map(\.value) == [.integer(1)])
    }
}
