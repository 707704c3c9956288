import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `A copied store` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    @Test(arguments: [false, true])
    func `a copy and its original continue under two replica IDs and converge`(isOpen: Bool) throws
    {
        let a = try scenario.open("a")
        let anna = try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        try a.insertPerson("unpushed")
        if !isOpen { a.close() }
        try scenario.copy("a", to: "b")
        let original = isOpen ? a : try scenario.open("a")
        let copy = try scenario.open("b")
        let replica = try original.replica
        #expect(try copy.replica == replica, "an identity is taken when it is needed, not at open")
        try original.set("name", .string("Anne"), of: anna)
        scenario.clock.milliseconds += 5
        try copy.set("age", .integer(7), of: anna)
        try original.insertPerson("of the original")
        try copy.insertPerson("of the copy")
        #expect(try original.replica == replica)
        #expect(try copy.replica != replica)
        for _ in 0..<2 { for store in [copy, original] { try scenario.zone.sync(store) } }
        #expect(try original.canonicalHash() == copy.canonicalHash())
        let names = try scenario.sql("b", "SELECT name FROM Person ORDER BY name").map { $0[0] }
        #expect(
            names == [
                .text("Anne"), .text("of the copy"), .text("of the original"), .text("unpushed"),
            ])
        #expect(Set(scenario.zone.log.map(\.origin)).count == scenario.zone.log.count)
        // The change set that both had not pushed was pushed once.
        #expect(scenario.zone.log.count == 6)
        #expect(try scenario.zone.reference().canonicalHash == original.canonicalHash())
        #expect(try copy.pendingSaves().count == 0)
    }

    @Test func `reports which of its former change sets it held when it saved`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let inherited = try #require(try a.syncState().last)
        let old = try a.replica
        a.close()
        try scenario.copy("a", to: "b")
        let copy = try scenario.open("b")
        try copy.insertPerson("Bob")
        let pending = try copy.pending(byteLimit: .max)
        #expect(pending.map(\.changeSet.dot.replica) == [old, try copy.replica])
        #expect(pending.map(\.changeSet.dot.sequence) == [1, 1])
        #expect(
            pending.last?.changeSet.context
                == CausalContext(
                    beyond: [
                        .init(
                            dot: Dot(replica: old, sequence: 1),
                            originPrefix: inherited.origin.prefix)
                    ]))
        // Once the zone has it, the prefix of the causal context includes it.
        for _ in 0..<2 { try scenario.zone.sync(copy) }
        try copy.insertPerson("Cyd")
        let context = try #require(try copy.pending(byteLimit: .max).last?.changeSet.context)
        #expect(context.beyond.isEmpty)
        #expect(context.prefix?.position == 2)
    }

    @Test func `gives objects that were made before it noticed new identities`() throws {
        let a = try scenario.open("a")
        let anna = try a.insertPerson("Anna")
        a.close()
        try scenario.copy("a", to: "b")
        let copy = try scenario.open("b")
        // Reserving numbers takes the new identity already, so that no number of the original is
        // used.
        let ids = try copy.reserveNumbers(2)
        #expect(ids.lowerBound.ordinal == 1)
        #expect(ids.lowerBound.number == 1)
        #expect(anna.ordinal == 0)
    }

    @Test func `a store that was moved keeps its replica ID`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let replica = try a.replica
        a.close()
        try scenario.move("a", to: "b")
        let moved = try scenario.open("b")
        try moved.insertPerson("Bob")
        #expect(try moved.replica == replica)
    }
}

@Suite struct `A restored store` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    @Test func `takes a new identity if the log has change sets under its own ID`() throws {
        let a = try scenario.open("a")
        let anna = try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        a.close()
        try scenario.copy("a", to: "backup")
        let again = try scenario.open("a")
        try again.set("name", .string("Anne"), of: anna)
        try again.insertPerson("Bob")
        try scenario.zone.sync(again)
        let replica = try again.replica
        again.close()
        // The file is the same by inode and birth time: only the log shows the restore.
        try scenario.restore("a", from: "backup")
        let restored = try scenario.open("a")
        #expect(try restored.value("name", of: anna) == .string("Anna"))
        try scenario.zone.pull(into: restored)
        #expect(try restored.value("name", of: anna) == .string("Anne"), "its own saves came back")
        let cyd = try restored.insertPerson("Cyd")
        #expect(try restored.replica != replica)
        #expect(try restored.recordID(of: cyd)?.replica == restored.replica)
        try scenario.zone.sync(restored)
        #expect(try scenario.zone.reference().canonicalHash == restored.canonicalHash())
    }

    @Test func `saves made before a restored store notices are renamed, and none is lost`()
        throws
    {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        a.close()
        try scenario.copy("a", to: "backup")
        let again = try scenario.open("a")
        try again.insertPerson("Bob")
        try scenario.zone.sync(again)
        again.close()
        try scenario.restore("a", from: "backup")
        let restored = try scenario.open("a")
        let cyd = try restored.insertPerson("Cyd")
        let changed = try scenario.zone.pull(into: restored)
        let renamed = try #require(changed.renamed[cyd])
        #expect(try restored.value("name", of: renamed) == .string("Cyd"))
        #expect(try restored.value("name", of: cyd) == .string("Bob"), "as the log has it")
        #expect(try restored.pendingSaves().count == 1)
        try scenario.zone.repair(restored)
        try scenario.zone.sync(restored)
        #expect(try scenario.zone.reference().canonicalHash == restored.canonicalHash())
    }
}
