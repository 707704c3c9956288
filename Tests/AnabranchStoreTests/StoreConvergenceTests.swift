import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Stores that exchange change sets` {
    @Test func `three stores converge`() throws {
        let scenario = try StoreScenario()
        let stores = try ["a", "b", "c"].map { try scenario.open($0) }
        let anna = try stores[0].insertPerson("Anna", age: 30)
        try stores[0].insertPerson("Bob", age: 40, boss: anna)
        for store in stores { try scenario.zone.sync(store) }
        let annaOnB = try stores[1].id(of: anna, on: stores[0])
        scenario.clock.milliseconds += 1000
        try stores[0].set("name", .string("Anne"), of: anna)
        try stores[1].set("age", .integer(31), of: annaOnB)
        try stores[2].insertPerson("Cyd")
        for _ in 0..<2 { for store in stores { try scenario.zone.sync(store) } }
        let hashes = try stores.map { try $0.canonicalHash() }
        #expect(Set(hashes).count == 1)
        #expect(
            try stores[2].value("name", of: stores[2].id(of: anna, on: stores[0]))
                == .string("Anne"))
        #expect(try stores[0].value("age", of: anna) == .integer(31))
    }

    @Test func `the later of two concurrent writes stays and the other is in the journal`() throws {
        let scenario = try StoreScenario()
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let anna = try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        try scenario.zone.sync(b)
        let there = try b.id(of: anna, on: a)
        try a.set("name", .string("Anne"), of: anna, author: "a")
        scenario.clock.milliseconds += 10
        try b.set("name", .string("Ann"), of: there, author: "b")
        for store in [a, b, a] { try scenario.zone.sync(store) }
        for (store, id) in [(a, anna), (b, there)] {
            #expect(try store.value("name", of: id) == .string("Ann"))
            let conflicts = try store.conflicts()
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.value == .string("Anne"))
            #expect(conflicts.first?.lost.author == "a")
            #expect(conflicts.first?.winner?.author == "b")
        }
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    @Test func `a late change set does not resurrect a deleted object`() throws {
        let scenario = try StoreScenario()
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        let anna = try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        try scenario.zone.sync(b)
        let there = try b.id(of: anna, on: a)
        try a.delete(anna)
        try b.set("age", .integer(5), of: there)
        for store in [a, b, a, b] { try scenario.zone.sync(store) }
        #expect(try a.row("Person", anna) == nil)
        #expect(try b.row("Person", there) == nil)
        #expect(try a.conflicts().map(\.kind) == [.writeToDeleted])
        #expect(try b.conflicts().filter { $0.kind == .deletedWhileWritten }.count == 1)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }
}
