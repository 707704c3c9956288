import Anabranch
import AnabranchSQLite
import AnabranchStore
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `Stores in memory` {
    private func container(
        _ description: PersistentStoreDescription
    ) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try CompanyModel.make(), classes: CompanyModel.classes,
            storeDescription: description)
        try container.load()
        return container
    }

    private func save(_ name: String, in container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context throws in
            try context.person(name)
            try context.save()
        }
    }

    private func names(in container: PersistentContainer) throws -> [String] {
        try container.newBackgroundContext().performAndWait { context throws in
            try context.people().compactMap(\.firstName)
        }
    }

    @Test func `a context fetches what another context has saved`() throws {
        let container = try container(.inMemory)
        #expect(container.storeDescription.isInMemory)
        #expect(container.coordinator.url == container.storeDescription.url)
        try save("Anna", in: container)
        try save("Bob", in: container)
        #expect(try names(in: container) == ["Anna", "Bob"])
        let history = try container.coordinator.history()
        #expect(history.count == 2)
        #expect(!FileManager.default.fileExists(atPath: container.coordinator.url.path))
        #expect(
            !FileManager.default.fileExists(atPath: container.coordinator.url.absoluteString))
    }

    @Test func `each one without a name is another store`() throws {
        let (first, second) = (try container(.inMemory), try container(.inMemory))
        try save("Anna", in: first)
        #expect(try names(in: second).isEmpty)
        #expect(try first.coordinator.replicaID != second.coordinator.replicaID)
    }

    @Test(arguments: ["", "a", "A", "a b", "/tmp/x", "ä?#%", "100%25"])
    func `containers share one by its name while it is open`(name: String) throws {
        let name = name + "." + UUID().uuidString
        let first = try container(.inMemory(named: name))
        let second = try container(.inMemory(named: name))
        try save("Anna", in: first)
        #expect(try names(in: second) == ["Anna"])
        #expect(try first.coordinator.replicaID == second.coordinator.replicaID)
        // Neither store takes itself for a copy of the other.
        try save("Bob", in: second)
        #expect(try first.coordinator.replicaID == second.coordinator.replicaID)
        first.coordinator.close()
        #expect(try names(in: second) == ["Anna", "Bob"])
        second.coordinator.close()
        #expect(try names(in: try container(.inMemory(named: name))).isEmpty)
    }

    @Test func `it is removed with its container`() throws {
        let name = UUID().uuidString
        try save("Anna", in: try container(.inMemory(named: name)))
        var description = PersistentStoreDescription.inMemory(named: name)
        let empty = #expect(throws: StoreError.self) {
            try PersistentContainer(storeDescription: description).load()
        }
        #expect(empty?.code == .cannotOpen)
        description.options.isReadOnly = true
        #expect(throws: StoreError.self) { try container(description) }
    }

    @Test func `a description for reading reads what another container writes`() throws {
        let writing = PersistentStoreDescription.inMemory
        var reading = writing
        reading.options.isReadOnly = true
        let writer = try container(writing)
        try save("Anna", in: writer)
        let reader = try container(reading)
        #expect(try names(in: reader) == ["Anna"])
        let error = #expect(throws: StoreError.self) { try save("Bob", in: reader) }
        #expect(error?.code == .readOnly)
        try save("Cleo", in: writer)
        #expect(try names(in: reader) == ["Anna", "Cleo"])
    }

    @Test func `a description for reading takes insertions, and refuses their save`() throws {
        let writing = PersistentStoreDescription.inMemory
        var reading = writing
        reading.options.isReadOnly = true
        let writer = try container(writing)
        try save("Anna", in: writer)
        let reader = try container(reading)
        try reader.newBackgroundContext().performAndWait { context throws in
            let bob = try context.person("Bob")
            #expect(try context.people().map(\.firstName) == ["Anna", "Bob"])
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
            #expect(context.insertedObjects == [bob], "the change is still pending")
            context.rollback()
            #expect(try context.people().map(\.firstName) == ["Anna"])
        }
    }

    @Test func `use after closing is refused as a file's is`() throws {
        for kind in StoreKind.allCases {
            let graph = try Graph(kind)
            let context = graph.context()
            try context.performAndWait { context throws in
                try context.person("Anna")
                try context.save()
            }
            graph.coordinator.close()
            let reading = #expect(throws: StoreError.self) {
                try context.performAndWait { try $0.people().count }
            }
            let writing = #expect(throws: StoreError.self) {
                try context.performAndWait { context throws in
                    try context.person("Bob")
                    try context.save()
                }
            }
            #expect(reading?.code == .closed && writing?.code == .closed, "\(kind)")
        }
    }

    @Test func `another model is refused as a file's is`() throws {
        let description = PersistentStoreDescription.inMemory
        let first = try container(description)
        try save("Anna", in: first)
        let other = PersistentContainer(
            model: try ManagedObjectModel { EntityDeclaration("Planet") },
            storeDescription: description)
        let error = #expect(throws: StoreError.self) { try other.load() }
        #expect(error?.code == .migrationNotInferred)
        let untyped = PersistentContainer(storeDescription: description)
        try untyped.load()
        #expect(untyped.model == first.model)
    }

    @Test func `a reader sees one state during a concurrent write`() throws {
        let graph = try Graph(.memory)
        let isDone = Mutex(false)
        let torn = Mutex(0)
        let group = DispatchGroup()
        try save("0", in: graph.container)
        try save("0", in: graph.container)
        for _ in 0..<3 {
            DispatchQueue.global().async(group: group) {
                while !isDone.withLock({ $0 }) {
                    let names = (try? names(in: graph.container)) ?? []
                    if Set(names).count != 1 || names.count != 2 { torn.withLock { $0 += 1 } }
                }
            }
        }
        try graph.inContext { context throws in
            let people = try context.people()
            for round in 1...200 {
                for person in people { person.firstName = "\(round)" }
                try context.save()
            }
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(torn.withLock { $0 } == 0)
        #expect(try names(in: graph.container) == ["200", "200"])
    }

    @Test func `a bundle carries it to a file and back`() async throws {
        let (memory, file) = (try Graph(.memory), try Graph(.file))
        try save("Anna", in: memory.container)
        let bundle = memory.file("anna.bundle")
        _ = try memory.coordinator.exportBundle(to: bundle)
        #expect(try await file.coordinator.importBundle(from: bundle).appliedCount == 1)
        try save("Bob", in: file.container)
        _ = try file.coordinator.exportBundle(to: bundle)
        #expect(try await memory.coordinator.importBundle(from: bundle).appliedCount == 1)
        #expect(try names(in: memory.container) == ["Anna", "Bob"])
        #expect(try memory.coordinator.canonicalHash() == file.coordinator.canonicalHash())
        let check = try memory.coordinator.store.check()
        #expect(check.isValid && check.differences == [])
    }

    @Test func `concurrent edits meet as those of files do`() throws {
        let outcomes = try StoreKind.allCases.map { kind in
            // Each reading of the clock is later than the one before.
            let milliseconds = Mutex<Int64>(1_000_000)
            let clock: @Sendable () -> Int64 = {
                milliseconds.withLock { time in
                    time += 7
                    return time
                }
            }
            let ours = try Graph(kind) { $0.environment.wallMilliseconds = clock }
            let theirs = try Graph(kind) { $0.environment.wallMilliseconds = clock }
            let zone = Zone()
            try save("Anna", in: ours.container)
            for graph in [ours, theirs] { try zone.exchange(graph) }
            for (graph, name) in [(ours, "Ann"), (theirs, "Anne")] {
                try graph.inContext { context throws in
                    try #require(try context.people().first).firstName = name
                    try context.save()
                }
            }
            for graph in [ours, theirs, ours] { try zone.exchange(graph) }
            #expect(try ours.coordinator.canonicalHash() == theirs.coordinator.canonicalHash())
            let lost = try ours.coordinator.conflicts().count + theirs.coordinator.conflicts().count
            return (try names(in: ours.container), lost)
        }
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0].0 == ["Anne"] && outcomes[0].1 > 0)
    }
}
