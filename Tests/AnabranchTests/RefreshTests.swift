import Anabranch
import Foundation
import Testing

@Suite struct `Refreshing and rolling back` {
    private func annaAged(
        _ body: (Graph, ManagedObjectContext, Person) throws -> Void
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            try body(graph, context, anna)
        }
    }

    private func elsewhere(_ graph: Graph, age: Int64) throws {
        try graph.inContext { other throws in
            try other.people("firstName == 'Anna'").first?.age = age
            try other.save()
        }
    }

    @Test func `a refresh that merges keeps what was changed here`() throws {
        try annaAged { graph, context, anna throws in
            anna.lastName = "A"
            try elsewhere(graph, age: 2)
            try context.refresh(anna, mergeChanges: true)
            #expect(anna.lastName == "A" && anna.age == 2 && !anna.isFault)
            #expect(try anna.changedValues() == ["lastName": "A"])
            try context.save()
        }
    }

    @Test func `a refresh that does not merge makes a fault`() throws {
        try annaAged { graph, context, anna throws in
            anna.age = 9
            anna.calls = []
            try elsewhere(graph, age: 2)
            try context.refresh(anna, mergeChanges: false)
            #expect(anna.calls == ["willFault", "didFault"])
            #expect(anna.isFault && !context.hasChanges && context.updatedObjects.isEmpty)
            #expect(anna.age == 2)
        }
    }

    @Test func `a refresh to a fault makes faults of its relationships, too`() throws {
        try annaAged { graph, context, anna throws in
            let bob = try context.person("Bob", boss: anna)
            try context.save()
            #expect(anna.reports.objects == [bob])
            try context.refresh(anna, mergeChanges: false)
            for name in ["boss", "reports"] {
                #expect(try anna.hasFault(forRelationshipNamed: name))
            }
            try graph.inContext { other throws in
                try other.person("Cyd", boss: try other.people("firstName == 'Anna'")[0])
                try other.save()
            }
            #expect(anna.reports.count == 2)
        }
    }

    @Test func `a refresh that merges makes a fault of an object without changes`() throws {
        try annaAged { graph, context, anna throws in
            anna.mood = "glad"
            try context.save()
            anna.calls = []
            try elsewhere(graph, age: 2)
            try context.refresh(anna, mergeChanges: true)
            #expect(anna.isFault && anna.calls == ["willFault", "didFault"])
            #expect(anna.age == 2 && anna.mood == nil)
        }
    }

    @Test func `a refresh that merges fails for no object, not even for one with a deleted row`()
        throws
    {
        try annaAged { graph, context, anna throws in
            let new = try context.person("New")
            try graph.inContext { other throws in
                try other.people().forEach(other.delete)
                try other.save()
            }
            anna.age = 5
            try context.refresh(anna, mergeChanges: true)
            try context.refresh(new, mergeChanges: true)
            #expect(anna.isDeleted && anna.managedObjectContext == nil && new.isInserted)
            try context.save()
            #expect(try context.people() == [new])
        }
    }

    /// Runs `body` with two saved passports, of which the former has a holder.
    private func withPassports(
        _ body: (
            Graph, ManagedObjectContext, _ anna: Person, _ former: Passport, _ later: Passport
        ) throws -> Void
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let former = try context.insert(Passport.self)
            former.holder = anna
            let later = try context.insert(Passport.self)
            try context.save()
            try body(graph, context, anna, former, later)
        }
    }

    @Test(arguments: ["former", "person", "later"])
    func `a refresh of one end of a moved one-to-one restores what that end had`(
        dropped: String
    ) throws {
        try withPassports { _, context, anna, former, later in
            later.holder = anna
            context.processPendingChanges()
            let object = dropped == "former" ? former : dropped == "person" ? anna : later
            try context.refresh(object, mergeChanges: false)
            // The former passport's loss of its holder is a separate change.
            let holder = dropped == "later" ? nil : former
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(anna.passport === holder && later.holder == nil)
                #expect(former.holder === (holder == nil ? nil : anna))
            }
        }
    }

    @Test
    func `a refresh of a one-to-one drops its edit and shows the target of a concurrent save`()
        throws
    {
        try withPassports { graph, context, anna, former, later in
            let ids = (anna.objectID, later.objectID)
            former.holder = nil
            context.processPendingChanges()
            try graph.inContext { other throws in
                let passport = try #require(try other.existingObject(with: ids.1) as? Passport)
                passport.holder = try other.existingObject(with: ids.0) as? Person
                try other.save()
            }
            try context.mergeChanges(
                from: ObjectIDChanges(updated: [anna.objectID, former.objectID, later.objectID]))
            try context.refresh(former, mergeChanges: false)
            #expect(anna.passport === later && later.holder === anna && former.holder == nil)
            try context.save()
            #expect(anna.passport === later && later.holder === anna && former.holder == nil)
        }
    }

    @Test func `dropping an object's changes leaves no trace at other objects`() throws {
        try annaAged { _, context, anna throws in
            let bob = try context.person("Bob", boss: anna)
            let group = try context.insert(Group.self)
            bob.groups.insert(group)
            try context.refresh(bob, mergeChanges: false)
            #expect(bob.managedObjectContext == nil)
            #expect(anna.reports.isEmpty && group.members.isEmpty)
            try context.save()
            let cyd = try context.person("Cyd", boss: anna)
            try context.save()
            cyd.boss = nil
            cyd.groups.insert(group)
            try context.refresh(cyd, mergeChanges: false)
            #expect(anna.reports.objects == [cyd] && group.members.isEmpty)
            #expect(cyd.boss === anna)
        }
    }

    @Test func `dropping an object's changes returns the objects that were moved to it`()
        throws
    {
        try annaAged { _, context, anna throws in
            let bob = try context.person("Bob")
            let cyd = try context.person("Cyd", boss: anna)
            let dan = try context.person("Dan", boss: bob)
            try context.save()
            cyd.boss = bob
            dan.boss = anna
            let eve = try context.person("Eve", boss: bob)
            try context.refresh(bob, mergeChanges: false)
            #expect(cyd.boss === anna && dan.boss === bob && eve.boss == nil)
            #expect(anna.reports.objects == [cyd] && bob.reports.objects == [dan])
            #expect(try cyd.changedValues().isEmpty && dan.changedValues().isEmpty)
            try context.save()
            #expect(try context.people("boss == %@", bob).map(\.firstName) == ["Dan"])
        }
    }

    @Test func `dropping the deletion of an object restores the references to it`() throws {
        try annaAged { graph, context, anna throws in
            let bob = try context.person("Bob", boss: anna)
            let cyd = try context.person("Cyd")
            let group = try context.insert(Group.self)
            anna.groups.insert(group)
            try context.save()
            cyd.boss = anna
            anna.friends.insert(cyd)
            context.delete(anna)
            context.processPendingChanges()
            #expect(bob.boss == nil && cyd.boss == nil && group.members.isEmpty)
            try context.refresh(anna, mergeChanges: false)
            #expect(!anna.isDeleted && bob.boss === anna && anna.reports.objects == [bob])
            #expect(group.members.objects == [anna])
            // The changes from before the deletion are dropped too.
            #expect(cyd.boss == nil && cyd.friends.isEmpty && anna.friends.isEmpty)
            try context.save()
            try graph.inContext { other throws in
                let people = try other.people()
                #expect(people.map { $0.boss?.firstName } == [nil, "Anna", nil])
            }
        }
    }

    @Test func `refreshing all makes faults of clean objects only`() throws {
        try annaAged { _, context, anna throws in
            let others = try (0..<3).map { try context.person("p\($0)") }
            try context.save()
            anna.age = 3
            context.processPendingChanges()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            try context.refreshAllObjects()
            #expect(!anna.isFault && anna.age == 3 && others.allSatisfy(\.isFault))
            #expect(context.updatedObjects == [anna])
            context.processPendingChanges()
            #expect(log.all.count == 1)
            #expect(
                log.all.first.map { Set($0.refreshed) }
                    == Set(([anna] + others).map(\.objectID)))
        }
    }

    @Test func `a rollback reverts everything`() throws {
        try annaAged { _, context, anna throws in
            anna.age = 5
            let bob = try context.person("Bob", boss: anna)
            let group = try context.insert(Group.self)
            anna.groups.insert(group)
            context.rollback()
            #expect(anna.age == 1 && anna.reports.isEmpty && anna.groups.isEmpty)
            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
            #expect(bob.managedObjectContext == nil && !bob.isInserted)
            anna.age = 6
            try context.save()
            #expect(try context.people().map(\.age) == [6])
        }
    }

    @Test func `a rollback brings back what was deleted, with the values that it had`() throws {
        try annaAged { _, context, anna throws in
            let bob = try context.person("Bob", age: 3, boss: anna)
            try context.save()
            bob.age = 8
            bob.boss = nil
            context.delete(bob)
            context.processPendingChanges()
            #expect(anna.reports.isEmpty && context.deletedObjects == [bob])
            context.rollback()
            #expect(!bob.isDeleted && bob.managedObjectContext === context)
            #expect(bob.age == 3 && bob.boss === anna && anna.reports.objects == [bob])
            #expect(!context.hasChanges)
        }
    }

    @Test func `a reset forgets all and says so once`() throws {
        try annaAged { _, context, anna throws in
            let bob = try context.person("Bob")
            context.processPendingChanges()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.reset()
            #expect(context.registeredObjects.isEmpty && !context.hasChanges)
            #expect(anna.managedObjectContext == nil && bob.managedObjectContext == nil)
            #expect(anna.isFault && bob.isFault && anna.firstName == nil)
            let changes = try #require(log.all.first)
            #expect(log.all.count == 1)
            #expect(changes.invalidatedAll.count == 2)
            #expect(Set(changes.invalidatedAll) == [anna.objectID, bob.objectID])
            #expect(changes.refreshed.isEmpty && changes.invalidated.isEmpty)
            #expect(changes.inserted.isEmpty && changes.updated.isEmpty && changes.deleted.isEmpty)
            #expect(try context.people().count == 1)
        }
    }

    @Test func `changes are announced once per event`() throws {
        try annaAged { _, context, anna throws in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            let bob = try context.person("Bob")
            anna.age = 2
            anna.age = 3
            #expect(log.all.isEmpty)
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(log.all.count == 1)
            #expect(log.all.first.map { Array($0.inserted) } == [bob.objectID])
            #expect(log.all.first.map { Array($0.updated) } == [anna.objectID])
            log.clear()
            anna.age = 4
            context.delete(bob)
            context.processPendingChanges()
            #expect(log.all.first.map { Array($0.updated) } == [anna.objectID])
            #expect(log.all.first.map { Array($0.deleted) } == [bob.objectID])
        }
    }

    @Test func `a deletion and its effects on related objects are announced as one event`() throws {
        try annaAged { _, context, anna throws in
            let bob = try context.person("Bob", boss: anna)
            let passport = try context.insert(Passport.self)
            anna.passport = passport
            try context.save()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.delete(anna)
            #expect(log.all.isEmpty && bob.boss === anna)
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(log.all.count == 1)
            #expect(
                log.all.first.map { Set($0.deleted) } == [anna.objectID, passport.objectID])
            #expect(log.all.first.map { Array($0.updated) } == [bob.objectID])
            #expect(bob.boss == nil && passport.isDeleted)
        }
    }

    @Test func `perform announces at its end and performAndWait does not`() async throws {
        let graph = try Graph()
        let context = graph.context()
        let log = try context.performAndWait { context in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            try context.person("Anna")
            return log
        }
        #expect(log.all.isEmpty)
        let value = try await context.perform { context in
            try context.person("Bob")
            return try context.people().count
        }
        #expect(value == 2 && log.all.first?.inserted.count == 2)
        await #expect(throws: PropertyError.self) {
            try await context.perform { _ = try $0.insert("Nobody") }
        }
    }

    @Test func `an observer's change at the end of perform is announced there, too`()
        async throws
    {
        let graph = try Graph()
        let context = graph.context()
        nonisolated(unsafe) var token: (any NSObjectProtocol)?
        let log = context.performAndWait { context in
            token = NotificationCenter.default.addObserver(
                forName: ManagedObjectContext.objectsDidChange, object: context, queue: nil
            ) { notification in
                guard let context = notification.object as? ManagedObjectContext,
                    let anna = context.insertedObjects.first as? Person, anna.age < 3
                else { return }
                anna.age += 1
            }
            return NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
        }
        try await context.perform { _ = try $0.person("Anna") }
        #expect(log.all.map(\.inserted.count) == [1, 0, 0, 0])
        #expect(log.all.map(\.updated.count) == [0, 1, 1, 1])
        #expect(try context.performAndWait { try $0.people().map(\.age) } == [3])
        token.map(NotificationCenter.default.removeObserver)
    }

    @Test func `a deleted object stays deleted where what lost it can't be read again`() throws {
        try Graph.withDeletedBoss { graph, context, boss, anna throws in
            anna.age = 9
            graph.coordinator.close()
            #expect(throws: StoreError.self) { try context.refresh(boss, mergeChanges: false) }
            #expect(boss.isDeleted && context.deletedObjects == [boss])
            #expect(anna.age == 9 && anna.boss == nil && context.updatedObjects == [anna])
            context.rollback()
            #expect(!boss.isDeleted && !context.hasChanges)
        }
    }

    @Test func `an object keeps every change where one of them can't be dropped`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let dan = try context.person("Dan")
            let anna = try context.person("Anna", boss: dan)
            anna.friends.insert(try context.person("Bert"))
            try context.person("Cyd")
            try context.save()
        }
        try graph.inContext { context throws in
            func person(_ name: String) throws -> Person {
                try #require(try context.people("firstName == %@", name).first)
            }
            let (anna, cyd, dan) = (try person("Anna"), try person("Cyd"), try person("Dan"))
            anna.boss = cyd
            anna.friends.removeAll()
            // Her friends have to be read from the store again.
            try context.refresh(anna, mergeChanges: true)
            graph.coordinator.close()
            #expect(throws: StoreError.self) { try context.refresh(anna, mergeChanges: false) }
            #expect(anna.boss === cyd && anna.isUpdated)
            #expect(context.updatedObjects.isSuperset(of: [anna, cyd, dan]))
        }
    }

    @Test func `a rollback restores both ends as read, whatever a concurrent save changed`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.automaticallyMergesChangesFromParent = false
            let anna = try context.person("Anna")
            let bert = try context.person("Bert", boss: anna)
            try context.save()
            try context.refreshAllObjects()
            #expect(bert.boss === anna && anna.reports.objects == [bert])
            try graph.inContext { other throws in
                try other.people("firstName == 'Bert'")[0].boss = nil
                try other.save()
            }
            anna.age = 9
            context.rollback()
            #expect(bert.boss === anna && anna.reports.objects == [bert])
            try context.refreshAllObjects()
            #expect(bert.boss == nil && anna.reports.isEmpty)
        }
    }

    @Test(arguments: [0, 2])
    func `dropping a deletion restores the object to the target of a concurrent save`(
        boss: Int
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bob) = (try context.person("Anna"), try context.person("Bob"))
            let cyd = try context.person("Cyd")
            try context.save()
            anna.boss = boss == 0 ? anna : cyd
            context.delete(anna)
            context.processPendingChanges()
            try graph.inContext { other throws in
                let people = try other.people()
                people[0].boss = people[1]
                try other.save()
            }
            try context.refreshAllObjects()
            #expect(bob.reports.isEmpty)
            try context.refresh(anna, mergeChanges: false)
            #expect(
                !bob.isUpdated && !anna.isUpdated && anna.boss === bob
                    && bob.reports.objects == [anna])
        }
    }

    @Test func `dropping an edit whose former target was deleted since leaves no reference`() throws
    {
        try Graph().inContext { context throws in
            let (anna, bob) = (try context.person("Anna"), try context.person("Bob"))
            let cyd = try context.person("Cyd", boss: anna)
            try context.save()
            cyd.boss = bob
            context.delete(anna)
            context.processPendingChanges()
            try context.refresh(bob, mergeChanges: false)
            #expect(try cyd.boss == nil && cyd.changedValues().isEmpty)
            context.rollback()
            #expect(cyd.boss === anna && anna.reports.objects == [cyd])
        }
    }

    @Test func `a rollback restores no reference to an object that was deleted concurrently`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bob) = (try context.person("Anna"), try context.person("Bob"))
            anna.boss = bob
            try context.save()
            for person in [anna, bob] { context.delete(person) }
            context.processPendingChanges()
            try graph.inContext { other throws in
                let bob = try other.people("firstName == 'Bob'")[0]
                other.delete(bob)
                try other.save()
                try context.mergeChanges(from: ObjectIDChanges(deleted: [bob.objectID]))
            }
            context.rollback()
            anna.boss = anna
            anna.boss = nil
            #expect(try anna.boss == nil && anna.changedValues().isEmpty)
        }
    }
}
