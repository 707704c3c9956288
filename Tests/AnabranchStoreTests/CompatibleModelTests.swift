import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of opening a file with another model of the same version.
@Suite struct `A model of the file's version` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    private func modelWithIndex() throws -> ManagedObjectModel {
        try scenario.changedModel { declaration in
            declaration.entities[0].indexes = [IndexDeclaration("byAge", on: "age")]
            declaration.entities[0].attributes[0].defaultValue = 7
        }
    }

    private func indexes(_ name: String) throws -> Set<String> {
        let rows = try scenario.sql(
            name, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        return Set(
            rows.compactMap { row in
                guard case .text(let name)? = row.first else { return nil }
                return name
            })
    }

    @Test func `replaces the file's model and leaves the records`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let hash = try first.canonicalHash()
        first.close()
        let other = try modelWithIndex()
        let second = try scenario.open("a", model: other)
        #expect(second.model === other)
        #expect(try second.value("name", of: anna) == .string("Anna"))
        #expect(try second.canonicalHash() == hash)
        try second.insertPerson("Bob")
        second.close()
        let third = try Store.open(at: scenario.path("a"), model: nil)
        #expect(third.model == other)
        #expect(try third.check().isValid)
    }

    @Test func `makes the indexes that the file lacks and drops the others`() throws {
        try scenario.open("a").close()
        let before = try indexes("a")
        try scenario.open("a", model: try modelWithIndex()).close()
        #expect(try indexes("a").subtracting(before) == ["Person_byAge"])
        try scenario.open("a").close()
        #expect(try indexes("a") == before)
    }

    @Test func `ends the writing of a program that has the file open with the other one`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        let second = try scenario.open("a", model: try modelWithIndex())
        #expect(storeError { try first.insertPerson("Bob") }?.code == .storeChanged)
        #expect(try first.value("name", of: anna) == .string("Anna"))
        try second.insertPerson("Bob")
    }

    @Test func `is used for reading only and the file keeps its own`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        first.close()
        var options = StoreOptions()
        options.isReadOnly = true
        let other = try modelWithIndex()
        let second = try scenario.open("a", model: other, options: options)
        #expect(second.model === other)
        #expect(try second.value("name", of: anna) == .string("Anna"))
        second.close()
        #expect(try Store.open(at: scenario.path("a"), model: nil).model == scenario.model)
    }

    @Test func `is needed where migrations are not allowed, and nothing changes`() throws {
        let first = try scenario.open("a")
        try first.insertPerson("Anna")
        let hash = try first.canonicalHash()
        first.close()
        let other = try scenario.changedModel { $0.entities[1].attributes[0].isOptional = false }
        var options = StoreOptions()
        options.migratesStoreAutomatically = false
        let error = storeError { _ = try scenario.open("a", model: other, options: options) }
        #expect(error?.code == .modelMismatch && error?.entity == "Team")
        #expect(try scenario.open("a").canonicalHash() == hash)
    }

    @Test(arguments: [true, false])
    func `with another default is taken over where migrations are not allowed`(infers: Bool) throws
    {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        first.close()
        var options = StoreOptions()
        options.migratesStoreAutomatically = infers
        options.infersMapping = !infers
        let other = try modelWithIndex()
        let second = try scenario.open("a", model: other, options: options)
        #expect(second.model === other)
        #expect(try second.value("name", of: anna) == .string("Anna"))
        #expect(try second.check().isValid)
    }

    @Test func `is not taken over by a process that dies before the end`() throws {
        try scenario.open("a").close()
        struct Crash: Error {}
        let faults = TransactionFaults(beforeCommit: { throw Crash() })
        #expect(throws: Crash.self) {
            try scenario.open("a", model: try modelWithIndex(), faults: faults)
        }
        let store = try Store.open(at: scenario.path("a"), model: nil)
        #expect(store.model == scenario.model)
        #expect(try !indexes("a").contains("Person_byAge"))
    }
}
