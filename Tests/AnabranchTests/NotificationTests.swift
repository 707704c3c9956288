import Anabranch
import Foundation
import TestSupport
import Testing

/// Calls a closure for each notification of some names, on the poster's queue.
private final class Watch {
    private var token: (any NSObjectProtocol)?

    init(
        _ name: Notification.Name, of object: AnyObject? = nil,
        _ body: @escaping (Notification) -> Void
    ) {
        nonisolated(unsafe) let body = body
        token = NotificationCenter.default.addObserver(
            forName: name, object: object, queue: nil
        ) { body($0) }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}

@Suite struct `Notifications` {
    @Test func `a save reports exactly the objects inserted, updated and deleted`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let old = try context.person("Old")
            let doomed = try context.person("Doomed")
            try context.person("Untouched")
            try context.save()
            let new = try context.person("New")
            old.age = 2
            context.delete(doomed)
            var told: [[Set<ManagedObject>]] = []
            var names: [String] = []
            let watches = [ManagedObjectContext.didSave, ManagedObjectContext.didSaveObjectIDs]
                .map { name in
                    Watch(name, of: context) { notification in
                        names.append(notification.name.rawValue)
                        guard let objects = notification.changedObjects else { return }
                        told.append([objects.inserted, objects.updated, objects.deleted])
                        #expect(objects.refreshed.isEmpty && objects.invalidated.isEmpty)
                        let ids = notification.objectIDChanges
                        #expect(ids.map { Array($0.inserted) } == [new.objectID])
                        #expect(ids.map { Array($0.updated) } == [old.objectID])
                        #expect(ids?.position != nil)
                    }
                }
            try context.save()
            #expect(told == [[[new], [old], [doomed]], [[new], [old], [doomed]]])
            #expect(
                names == ["AnabranchContextDidSave", "AnabranchContextDidSaveObjectIDs"])
            withExtendedLifetime(watches) {}
        }
    }

    @Test func `an event reports the objects themselves, each kind separately`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let old = try context.person("Old")
            let stale = try context.person("Stale")
            try context.save()
            context.processPendingChanges()
            var told: [ChangedObjects] = []
            let watch = Watch(ManagedObjectContext.objectsDidChange, of: context) {
                if let objects = $0.changedObjects { told.append(objects) }
            }
            let new = try context.person("New")
            old.age = 2
            try context.refresh(stale, mergeChanges: false)
            context.processPendingChanges()
            #expect(told.count == 1)
            #expect(told[0].inserted == [new] && told[0].updated == [old])
            #expect(told[0].refreshed == [stale] && told[0].deleted.isEmpty)
            context.rollback()
            #expect(told.count == 2 && told[1].invalidated == [new])
            #expect(told[1].refreshed == [old])
            context.delete(stale)
            context.processPendingChanges()
            #expect(told[2].deleted == [stale])
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `an undo is reported as an update, a refresh as a refresh`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            context.undoManager = UndoStack()
            anna.age = 2
            context.processPendingChanges()
            var told: [ChangedObjects] = []
            let watch = Watch(ManagedObjectContext.objectsDidChange, of: context) {
                if let objects = $0.changedObjects { told.append(objects) }
            }
            context.undo()
            context.processPendingChanges()
            #expect(told.count == 1 && told[0].updated == [anna] && told[0].refreshed.isEmpty)
            try context.refresh(anna, mergeChanges: true)
            context.processPendingChanges()
            #expect(told.count == 2 && told[1].refreshed == [anna] && told[1].updated.isEmpty)
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `willSave has no content and comes before the objects' hooks`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            var calls: [String] = []
            anna.onWillSave = { _ in calls.append("object") }
            let watch = Watch(ManagedObjectContext.willSave, of: context) {
                calls.append("context")
                #expect($0.userInfo == nil)
            }
            try context.save()
            #expect(calls == ["context", "object"])
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `a merged insertion is reported, and becomes a fault only if it is asked for`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let saved: Notification = try graph.inContext { other throws in
                nonisolated(unsafe) var saved: Notification?
                let watch = Watch(ManagedObjectContext.didSave, of: other) { saved = $0 }
                try other.person("Anna", age: 4)
                try other.save()
                withExtendedLifetime(watch) {}
                nonisolated(unsafe) let found = try #require(saved)
                return found
            }
            let id = try #require(saved.objectIDChanges?.inserted.first)
            var lists: [[ManagedObjectID]] = []
            var asks = false
            var faults: Set<ManagedObject> = []
            let watch = Watch(ManagedObjectContext.objectsDidChange, of: context) {
                lists.append(Array($0.objectIDChanges?.inserted ?? ObjectIDList([])))
                if asks, let objects = $0.changedObjects { faults = objects.inserted }
            }
            let before = graph.readStatements
            try context.mergeChanges(fromContextDidSave: saved)
            #expect(lists == [[id]] && context.registeredObjects.isEmpty)
            asks = true
            try context.mergeChanges(fromContextDidSave: saved)
            #expect(faults.map(\.objectID) == [id] && faults.allSatisfy(\.isFault))
            #expect(context.registeredObjects == faults && graph.readStatements == before)
            #expect((faults.first as? Person)?.age == 4)
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `updates of unregistered objects are reported by IDs of the merge alone`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            return anna.objectID
        }
        try graph.inContext { context throws in
            let log = NotificationLog(
                ManagedObjectContext.objectsDidChange,
                ManagedObjectContext.didMergeChangesObjectIDs, of: context)
            try context.mergeChanges(from: ObjectIDChanges(updated: [id]))
            #expect(log.names == [ManagedObjectContext.didMergeChangesObjectIDs])
            #expect(log.all.map { Array($0.updated) } == [[id]])
            let fault = context.object(with: id)
            log.clear()
            try context.mergeChanges(from: ObjectIDChanges(updated: [id]))
            #expect(log.names == [ManagedObjectContext.didMergeChangesObjectIDs])
            #expect(fault.isFault)
        }
    }

    @Test func `a notification without changes can't be merged`() throws {
        try Graph().inContext { context throws in
            let error = #expect(throws: PropertyError.self) {
                try context.mergeChanges(
                    fromContextDidSave: Notification(name: ManagedObjectContext.willSave))
            }
            #expect(error?.code == .wrongKind)
        }
    }

    @Test func `changes given as URIs reach several contexts`() async throws {
        let graph = try Graph()
        let uri = try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            return anna.objectID.uriRepresentation
        }
        let contexts = [graph.context(), graph.context()]
        for context in contexts {
            let ages = try await context.perform { context in
                context.retainsRegisteredObjects = true
                return try context.people().map(\.age)
            }
            #expect(ages == [1])
        }
        try graph.inContext { context throws in
            try context.people()[0].age = 2
            try context.save()
        }
        let unknown = try #require(URL(string: "x-coredata://ABC/Person/p1"))
        let changes = try graph.coordinator.objectIDChanges(updated: [uri, unknown])
        #expect(changes.updated.count == 1)
        try await ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: changes, into: contexts)
        for context in contexts {
            let ages = try await context.perform { try $0.people().map(\.age) }
            #expect(ages == [2])
        }
    }

    @Test func `saves and merges come as sequences, too`() async throws {
        let graph = try Graph()
        let background = graph.context()
        let (saves, merges) = background.performAndWait { ($0.saves(), $0.merges()) }
        let id = try await background.perform { context in
            let anna = try context.person("Anna")
            try context.save()
            try context.mergeChanges(from: ObjectIDChanges(updated: [anna.objectID]))
            return anna.objectID
        }
        let saved = await saves.first { _ in true }
        let merged = await merges.first { _ in true }
        #expect(saved.map { Array($0.inserted) } == [id])
        #expect(merged.map { Array($0.refreshed) } == [id])
    }

    @Test func `a slow reader of a sequence gets the newest events and sees that it missed some`()
        async throws
    {
        let graph = try Graph()
        let background = graph.context()
        let changes = background.performAndWait { $0.objectChanges() }
        try await background.perform { context in
            let anna = try context.person("Anna")
            for age in 0..<1100 {
                anna.age = Int64(age)
                context.processPendingChanges()
            }
        }
        var numbers: [UInt64] = []
        for await event in changes {
            numbers.append(event.number)
            guard event.number < 1100 else { break }
        }
        #expect(numbers == Array(77...1100))
    }

    @Test func `the coordinator reports the history's position after its own saves and a sync`()
        async throws
    {
        let here = try Graph()
        let there = try Graph()
        let zone = Zone()
        var changes = here.coordinator.remoteChanges().makeAsyncIterator()
        try here.inContext { context throws in
            context.transactionAuthor = "editor"
            try context.person("Anna")
            try context.save()
        }
        let own = try #require(await changes.next())
        #expect(own.author == "editor" && own.url == here.coordinator.url)
        let position = try own.position
        #expect(try position == here.coordinator.currentHistoryPosition())
        #expect(try own.replicaID == here.coordinator.replicaID)
        try zone.exchange(here)
        try zone.exchange(there)
        try there.inContext { context throws in
            try context.people()[0].age = 2
            try context.save()
        }
        try zone.exchange(there)
        here.coordinator.didApply(try zone.exchange(here))
        let foreign = try #require(await changes.next())
        #expect(foreign.author == "sync")
        #expect(try foreign.position > position)
        let since = try here.coordinator.history(after: position)
        #expect(since.count == 1)
    }

    @Test func `opening and closing a store is notified once, with a last chance before`() throws {
        let directory = try Graph().directory
        let container = PersistentContainer(
            model: try CompanyModel.make(), classes: CompanyModel.classes,
            url: URL(filePath: directory.file("notified.anabranch")))
        var told: [String] = []
        func record(_ notification: Notification) {
            // Tests beside this one open stores too.
            guard let change = notification.storesChange,
                (change.added + change.removed).first?.path.hasSuffix("notified.anabranch") == true
            else { return }
            told.append("\(notification.name.rawValue) +\(change.added.count)")
            guard notification.name == PersistentStoreCoordinator.willRemoveStore else { return }
            try? container.newBackgroundContext().performAndWait { context in
                try context.person("Last")
                try context.save()
            }
        }
        let watches = [
            PersistentStoreCoordinator.storesDidChange, PersistentStoreCoordinator.willRemoveStore,
        ].map { Watch($0, record) }
        try container.load()
        try container.load()
        let coordinator = container.coordinator
        coordinator.close()
        coordinator.close()
        #expect(
            told == [
                "AnabranchCoordinatorStoresDidChange +1",
                "AnabranchCoordinatorWillRemoveStore +0",
                "AnabranchCoordinatorStoresDidChange +0",
            ])
        #expect(throws: StoreError.self) { try coordinator.history() }
        withExtendedLifetime(watches) {}
    }

    @Test(arguments: [false, true])
    func `an observer's change of a new object is a separate event`(endsIt: Bool) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.undoManager = UndoStack()
            var told: [Int] = []
            let watch = Watch(ManagedObjectContext.objectsDidChange, of: context) {
                guard let objects = $0.changedObjects else { return }
                told.append(objects.inserted.count)
                for case let person as Person in objects.inserted where person.age == 0 {
                    person.age = 1
                    if endsIt { context.processPendingChanges() }
                }
            }
            let anna = try context.person("Anna")
            context.processPendingChanges()
            anna.lastName = "Smith"
            context.processPendingChanges()
            #expect(told == (endsIt ? [1, 0, 0] : [1, 0]))
            context.undo()
            #expect(anna.managedObjectContext === context && anna.isInserted)
            #expect(anna.lastName == nil && anna.firstName == "Anna")
            #expect(anna.age == (endsIt ? 1 : 0))
            context.undo()
            #expect(anna.managedObjectContext == nil)
            context.redo()
            #expect(anna.managedObjectContext === context && anna.firstName == "Anna")
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `an object inserted and deleted within one event is reported to no observer`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.delete(try context.person("Anna"))
            context.processPendingChanges()
            #expect(log.names.isEmpty && !context.hasChanges)
        }
    }

    @Test func `an object that its observer deletes is reported as deleted`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            let watch = Watch(ManagedObjectContext.objectsDidChange, of: context) {
                guard let objects = $0.changedObjects, !objects.inserted.isEmpty else { return }
                for object in objects.inserted { context.delete(object) }
                context.processPendingChanges()
            }
            let id = try context.person("Anna").objectID
            context.processPendingChanges()
            #expect(Set(log.all.flatMap { Array($0.inserted) }) == [id])
            #expect(Set(log.all.flatMap { Array($0.deleted) }) == [id])
            #expect(!context.hasChanges)
            withExtendedLifetime(watch) {}
        }
    }
}
