import Anabranch
import Foundation
import Testing

@Suite struct `Settings of a context` {
    /// Returns the ID of a saved person that another context has deleted.
    private func goneID(_ graph: Graph) throws -> ManagedObjectID {
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 7)
            try context.save()
            let id = anna.objectID
            context.delete(anna)
            try context.save()
            return id
        }
    }

    @Test func `a context that retains its objects releases none until it is asked to`() throws {
        let graph = try Graph()
        let context = graph.context()
        try context.performAndWait { context in
            #expect(!context.retainsRegisteredObjects)
            context.retainsRegisteredObjects = true
            for number in 0..<20 { try context.person("\(number)") }
            try context.save()
        }
        try context.performAndWait { context in
            #expect(context.retainsRegisteredObjects && context.registeredObjects.count == 20)
            let before = graph.readStatements
            let object = try #require(context.registeredObjects.first)
            #expect(context.object(with: object.objectID) === object)
            #expect(!object.isFault && graph.readStatements == before)
        }
        context.performAndWait { context in
            context.retainsRegisteredObjects = false
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test func `an object that was released is not retained later with its old values`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna", age: 1)
            try context.save()
            #expect(try context.people().map(\.age) == [1])
            try graph.inContext { other throws in
                try other.people()[0].age = 2
                try other.save()
            }
            context.retainsRegisteredObjects = true
            #expect(try context.people().map(\.age) == [2])
        }
    }

    @Test func `a fault without a row becomes deleted`() throws {
        let graph = try Graph()
        let id = try goneID(graph)
        try graph.inContext { context throws in
            let anna = try #require(context.object(with: id) as? Person)
            #expect(anna.age == 0 && anna.firstName == nil && anna.reports.isEmpty)
            #expect(anna.isDeleted && anna.managedObjectContext == nil)
            try context.save()
        }
    }

    @Test(arguments: [true, false])
    func `an object that has lost its context is an error by name and absent values`(
        shouldDelete: Bool
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.shouldDeleteInaccessibleFaults = shouldDelete
            let anna = try context.person("Anna", age: 7)
            try context.save()
            context.reset()
            for use in [
                { _ = try anna.value(forKey: "age") }, { try anna.setValue(8, forKey: "age") },
                { _ = try anna.object(forKey: "boss") },
                { _ = try anna.objectIDs(forRelationshipNamed: "reports") },
            ] as [() throws -> Void] {
                let error = #expect(throws: PropertyError.self) { try use() }
                #expect(error?.code == .inaccessible && error?.objectID == anna.objectID)
            }
            #expect(anna.age == 0 && anna.firstName == nil && anna.boss == nil)
        }
    }

    @Test func `values that were read stay readable when the context is gone`() throws {
        let graph = try Graph()
        nonisolated(unsafe) var kept: [Person] = []
        try graph.inContext { context throws in
            try context.person("Anna", age: 7)
            try context.save()
            kept = try context.people()
            #expect(kept[0].age == 7)
        }
        try graph.inContext { context throws in
            kept.append(try #require(context.object(with: kept[0].objectID) as? Person))
        }
        #expect(kept.map { $0.managedObjectContext == nil } == [true, true])
        #expect(kept[0].age == 7 && kept[0]["firstName"] == .string("Anna"))
        #expect(kept[1].age == 0 && kept[1]["firstName"].isNull)
        #expect(throws: PropertyError.self) { try kept[0].setValue(8, forKey: "age") }
        #expect(throws: PropertyError.self) { try kept[1].value(forKey: "age") }
    }

    @Test func `it stays a fault and is an error where it may not become deleted`() throws {
        let graph = try Graph()
        let id = try goneID(graph)
        try graph.inContext { context throws in
            context.shouldDeleteInaccessibleFaults = false
            let anna = try #require(context.object(with: id) as? Person)
            #expect(anna.age == 0 && !anna.isDeleted && anna.isFault)
            #expect(anna.managedObjectContext === context && context.object(with: id) === anna)
            let kept = #expect(throws: PropertyError.self) { try context.save() }
            #expect(kept?.code == .inaccessible && kept?.objectID == id)
            let thrown = #expect(throws: PropertyError.self) { try anna.value(forKey: "age") }
            #expect(thrown?.code == .inaccessible)
            #expect(throws: PropertyError.self) { try anna.setValue(8, forKey: "age") }
            anna.age = 8
            #expect(anna.age == 0 && !context.hasChanges)
            #expect(throws: PropertyError.self) { try context.save() }
            try context.save()
        }
    }

    @Test func `a reference to such an object is none for a predicate`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna", boss: try context.person("Boss"))
            try context.save()
        }
        try graph.inContext { context throws in
            context.shouldDeleteInaccessibleFaults = false
            let anna = try #require(try context.people("firstName == 'Anna'").first)
            try graph.inContext { other throws in
                other.delete(try other.people()[1])
                try other.save()
            }
            anna.age = 1
            #expect(try context.people("boss.firstName == nil") == [anna])
            try context.save()
        }
    }

    @Test func `an object that existingObject does not find is not reported as deleted`() throws {
        let graph = try Graph()
        let id = try goneID(graph)
        try graph.inContext { context throws in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            let error = #expect(throws: PropertyError.self) {
                try context.existingObject(with: id)
            }
            #expect(error?.code == .inaccessible && context.registeredObject(for: id) == nil)
            context.processPendingChanges()
            #expect(log.names == [])
        }
    }

    @Test func `the app may decide for one object, but not for existingObject`() throws {
        let graph = try Graph()
        let id = try goneID(graph)
        try graph.inContext { context throws in
            nonisolated(unsafe) var asked: [ManagedObjectID] = []
            context.shouldHandleInaccessibleFault = { object in
                asked.append(object.objectID)
                return false
            }
            #expect(throws: PropertyError.self) { try context.existingObject(with: id) }
            #expect(asked == [])
            let anna = try #require(context.object(with: id) as? Person)
            #expect(anna.age == 0 && !anna.isDeleted && asked == [id])
            #expect(throws: PropertyError.self) { try context.save() }
            context.shouldHandleInaccessibleFault = { _ in true }
            #expect(anna.age == 0 && anna.isDeleted)
            try context.save()
        }
    }

    @Test func `delete rules may wait for the save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.propagatesDeletesAtEndOfEvent = false
            let boss = try context.person("Boss")
            boss.passport = try context.insert(Passport.self)
            let anna = try context.person("Anna", boss: boss)
            let passport = try #require(boss.passport)
            try context.save()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            let id = boss.objectID
            context.delete(boss)
            context.processPendingChanges()
            #expect(log.all.map { Array($0.deleted) } == [[id]])
            #expect(anna.boss === boss && !passport.isDeleted)
            #expect(context.deletedObjects == [boss])
            try context.save()
            #expect(anna.boss == nil && passport.managedObjectContext == nil)
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.firstName) == ["Anna"])
            #expect(try context.count(for: FetchRequest<Passport>()) == 0)
        }
    }

    @Test func `a deleted insertion is reported as deleted once, if it was reported at all`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.propagatesDeletesAtEndOfEvent = false
            let told = try context.person("Told")
            context.processPendingChanges()
            let untold = try context.person("Untold")
            let id = told.objectID
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.delete(told)
            context.delete(untold)
            context.processPendingChanges()
            try context.save()
            #expect(log.all.flatMap { Array($0.deleted) } == [id])
            #expect(log.all.flatMap { Array($0.inserted) } == [])
            #expect(try graph.coordinator.history().isEmpty)
        }
    }

    @Test func `performAndWait may be nested, and objects live on in the outer body`() throws {
        let graph = try Graph()
        let background = graph.context()
        let count = try background.performAndWait { context in
            try context.person("Anna")
            let inner = try background.performAndWait { inner in
                #expect(inner === context)
                return try inner.people().count
            }
            #expect(context.insertedObjects.count == 1)
            return inner
        }
        #expect(count == 1)
    }

    @Test func `performAndWait runs on the thread that waits for it`() throws {
        let background = try Graph().context()
        let thread = pthread_self()
        background.performAndWait { _ in
            #expect(pthread_equal(pthread_self(), thread) != 0)
            background.performAndWait { _ in #expect(pthread_equal(pthread_self(), thread) != 0) }
        }
    }

    @Test @MainActor func `a context is of the main queue or of one of its own`() throws {
        let graph = try Graph()
        let main = graph.container.viewContext
        #expect(main === graph.container.viewContext)
        try main.person("Anna")
        try main.save()
        // The main queue waits for one private queue, which waits for another.
        let (first, second) = (graph.context(), graph.context())
        let count = try first.performAndWait { one in
            try second.performAndWait { two in
                #expect(one !== two)
                return try two.people().count
            }
        }
        #expect(count == 1)
        first.performAndWait { #expect($0 !== main) }
    }

    @Test func `a fault that is fired again reads the store`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            try graph.inContext { other throws in
                try other.people()[0].age = 2
                try other.save()
            }
            #expect(anna.age == 1)
            try context.refresh(anna, mergeChanges: false)
            #expect(anna.age == 2)
        }
    }

    @Test func `an ID knows whether its row is stored, and is the same before and after`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let employee = try context.insert(Employee.self)
            let id = employee.objectID
            #expect(try id.isStored == false)
            #expect(employee.isInserted)
            try context.save()
            #expect(try id.isStored)
            #expect(employee.objectID == id && !employee.isInserted)
            context.delete(employee)
            try context.save()
            #expect(try id.isStored == false)
        }
        let gone = try graph.inContext { try $0.person("Bob").objectID }
        graph.coordinator.close()
        #expect(throws: StoreError.self) { try gone.isStored }
    }

    @Test func `a context has a place for the app's own values`() throws {
        try Graph().inContext { context throws in
            context.userInfo["window"] = 3
            #expect(context.userInfo["window"] as? Int == 3)
        }
    }

    #if DEBUG
        @Test func `an object off its context's queue stops debug builds with both names`()
            async throws
        {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                nonisolated(unsafe) var escaped: Person?
                let graph = try Graph()
                let background = graph.context()
                try background.performAndWait { context in
                    context.name = "import"
                    escaped = try context.person("Anna")
                }
                withExtendedLifetime((graph, background)) { _ = escaped?.age }
            }
            let words = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(
                words.contains(
                    "The context 'import' has Person/1, which was read outside its private queue "
                        + "'anabranch.context'. Use it in the closures of its perform(_:)"))
        }

        @Test func `a context used off its queue stops debug builds`() async throws {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                nonisolated(unsafe) var escaped: ManagedObjectContext?
                let background = try Graph().context()
                background.performAndWait { escaped = $0 }
                withExtendedLifetime(background) { escaped?.processPendingChanges() }
            }
            let words = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(
                words.contains("A context without a name was used outside its private queue"))
        }
    #endif
}
