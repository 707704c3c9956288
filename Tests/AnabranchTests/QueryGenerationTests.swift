import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Query generations` {
    /// Returns a store with Anna, one year old. Another context sets her age.
    private func graph(lifetime: Duration = .seconds(600)) throws -> Graph {
        let graph = try Graph { $0.options.generationLifetime = lifetime }
        try graph.inContext { context throws in
            try context.person("Anna", age: 1)
            try context.save()
        }
        return graph
    }

    private func setAge(_ age: Int64, in graph: Graph) throws {
        try graph.inContext { context throws in
            try context.people()[0].age = age
            try context.save()
        }
    }

    /// Returns the age in the store, for a context without registered objects.
    private func age(in context: ManagedObjectContext) throws -> Int64 {
        try context.people("firstName == 'Anna'")[0].age
    }

    @Test func `a pinned context reads one state from its first read on`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            #expect(context.queryGenerationToken == nil)
            try context.setQueryGeneration(from: .current)
            #expect(context.queryGenerationToken == .current)
            try setAge(2, in: graph)
            #expect(try age(in: context) == 2)
            #expect(context.queryGenerationToken != .current)
            try setAge(3, in: graph)
            #expect(try age(in: context) == 2)
            #expect(try context.count(for: FetchRequest<Person>(matching: "age == 3")) == 0)
            try context.setQueryGeneration(from: nil)
            #expect(try context.count(for: FetchRequest<Person>(matching: "age == 3")) == 1)
        }
    }

    @Test func `the history after the position of a pinned state is what it lacks`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            let position = try context.currentHistoryPosition()
            #expect(try position == graph.coordinator.currentHistoryPosition())
            try setAge(2, in: graph)
            #expect(try context.currentHistoryPosition() == position)
            #expect(try age(in: context) == 1)
            #expect(try context.coordinator.history(after: position).count == 1)
            try context.setQueryGeneration(from: nil)
            #expect(
                try context.currentHistoryPosition() == graph.coordinator.currentHistoryPosition())
            #expect(try context.currentHistoryPosition() > position)
        }
    }

    @Test func `faults are read from the pinned state`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            var request = FetchRequest<Person>()
            request.includesPropertyValues = false
            let anna = try context.fetch(request)[0]
            try graph.inContext { other throws in
                try other.people().forEach(other.delete)
                try other.save()
            }
            #expect(anna.isFault && anna.age == 1 && !anna.isDeleted)
        }
    }

    @Test func `a token pins another context to the same state`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try age(in: context) == 1)
            let token = try #require(context.queryGenerationToken)
            try setAge(2, in: graph)
            try graph.inContext { other throws in
                try other.setQueryGeneration(from: token)
                #expect(other.queryGenerationToken == token)
                #expect(try age(in: other) == 1)
            }
        }
    }

    @Test func `a save is not pinned, and moves the context on`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try context.people().count == 1)
            try graph.inContext { other throws in
                try other.person("Carl")
                try other.save()
            }
            try context.person("Bert")
            #expect(try context.people().map(\.firstName) == ["Anna", "Bert"])
            try context.save()
            #expect(try context.people().map(\.firstName) == ["Anna", "Bert", "Carl"])
        }
    }

    @Test func `an observer of a save reads the saved values`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try context.people().count == 1)
            nonisolated(unsafe) var counts: [Int?] = []
            nonisolated(unsafe) let context = context
            let token = NotificationCenter.default.addObserver(
                forName: ManagedObjectContext.didSave, object: context, queue: nil
            ) { _ in counts.append(try? context.people().count) }
            defer { NotificationCenter.default.removeObserver(token) }
            try context.person("Bert")
            try context.save()
            #expect(counts == [2])
        }
    }

    @Test func `merging by hand and a reset move the context on`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            let anna = try context.people()[0]
            #expect(anna.age == 1)
            try setAge(2, in: graph)
            try context.mergeChanges(from: ObjectIDChanges(updated: [anna.objectID]))
            #expect(anna.age == 2)
            try setAge(3, in: graph)
            #expect(try age(in: context) == 2)
            context.reset()
            #expect(try age(in: context) == 3)
        }
    }

    @Test func `a pinned context does not follow by itself`() async throws {
        let graph = try graph()
        let context = graph.context()
        try await context.perform { context in
            context.automaticallyMergesChangesFromParent = true
            try context.setQueryGeneration(from: .current)
            #expect(try self.age(in: context) == 1)
        }
        try setAge(2, in: graph)
        #expect(try await context.perform { try self.age(in: $0) } == 1)
    }

    @Test func `a state ends with its lifetime, and the context continues with the newest`()
        async throws
    {
        let graph = try graph(lifetime: .seconds(2))
        let context = graph.context()
        let token = try await context.perform { context in
            try context.setQueryGeneration(from: .current)
            #expect(try self.age(in: context) == 1)
            return try #require(context.queryGenerationToken)
        }
        try setAge(2, in: graph)
        var age: Int64? = 1
        for _ in 0..<3_000 where age == 1 {
            try await Task.sleep(for: .milliseconds(10))
            age = try await context.perform { try self.age(in: $0) }
        }
        #expect(age == 2)
        let other = graph.context()
        let error = await #expect(throws: StoreError.self) {
            try await other.perform { try $0.setQueryGeneration(from: token) }
        }
        #expect(error?.code == .generationExpired)
    }

    @Test func `closing the store ends its states`() throws {
        let graph = try graph()
        let token = try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try age(in: context) == 1)
            return try #require(context.queryGenerationToken)
        }
        graph.coordinator.close()
        let error = #expect(throws: StoreError.self) {
            try graph.inContext { try $0.setQueryGeneration(from: token) }
        }
        #expect(error?.code == .generationExpired)
    }

    @Test func `a context with a parent can't be pinned, nor one to another store's state`() throws
    {
        let (graph, other) = (try graph(), try graph())
        let token = try other.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try age(in: context) == 1)
            return try #require(context.queryGenerationToken)
        }
        try graph.inContext { context throws in
            let foreign = #expect(throws: PropertyError.self) {
                try context.setQueryGeneration(from: token)
            }
            #expect(foreign?.code == .foreignObject)
            let child = context.newChildContext()
            let error = #expect(throws: PropertyError.self) {
                try child.setQueryGeneration(from: .current)
            }
            #expect(error?.code == .hasParent)
        }
    }

    @Test func `the log can be brought into the file once a state has ended`() throws {
        let graph = try graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try age(in: context) == 1)
            for age in 2..<40 { try setAge(Int64(age), in: graph) }
            #expect(try age(in: context) == 1)
            try context.setQueryGeneration(from: nil)
            #expect(try age(in: context) == 39)
        }
    }
}

extension FetchRequest {
    fileprivate init(matching predicate: String) throws {
        self.init()
        self.predicate = try FetchPredicate(predicate)
    }
}
