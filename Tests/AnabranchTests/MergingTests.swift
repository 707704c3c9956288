import Anabranch
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Merging` {
    /// Saves in one context, then merges the changes into another.
    private func merge(
        _ graph: Graph, into context: ManagedObjectContext,
        _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        let changes: ObjectIDChanges? = try graph.inContext { other throws in
            let log = NotificationLog(ManagedObjectContext.didSave, of: other)
            try body(other)
            try other.save()
            return log.all.last
        }
        try context.mergeChanges(from: try #require(changes))
    }

    @Test func `an unsaved edit of one attribute stays when another arrives`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            anna.firstName = "Anne"
            let log = NotificationLog(
                ManagedObjectContext.objectsDidChange,
                ManagedObjectContext.didMergeChangesObjectIDs, of: context)
            try merge(graph, into: context) { try $0.people().first?.age = 2 }
            #expect(anna.firstName == "Anne" && anna.age == 2)
            #expect(try anna.changedValues() == ["firstName": "Anne"])
            #expect(
                log.names == [
                    ManagedObjectContext.objectsDidChange,
                    ManagedObjectContext.didMergeChangesObjectIDs,
                ])
            #expect(log.all.map { Array($0.refreshed) } == [[anna.objectID], [anna.objectID]])
            try context.save()
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.people().first)
            #expect(anna.firstName == "Anne" && anna.age == 2)
        }
    }

    @Test func `a member lost only by an edit is no change once another context removed it too`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bert) = (
                try context.person("Anna", age: 1), try context.person("Bert", age: 2)
            )
            let carl = try context.person("Carl", age: 3)
            carl.boss = anna
            try context.save()
            carl.boss = bert
            #expect(anna.changedRelationshipNames == ["reports"])
            try merge(graph, into: context) { try $0.people("age == 3").first?.boss = nil }
            #expect(anna.changedRelationshipNames.isEmpty && carl.boss === bert)
            #expect(bert.changedRelationshipNames == ["reports"])
            try merge(graph, into: context) {
                try $0.people("age == 3").first?.boss = $0.people("age == 2").first
            }
            #expect(bert.changedRelationshipNames.isEmpty && carl.boss === bert)
            #expect(try carl.changedValues().isEmpty && bert.reports.map(\.age) == [3])
        }
    }

    @Test func `an emptied reference is as saved once another context deletes its target`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bert) = (
                try context.person("Anna", age: 1), try context.person("Bert", age: 2)
            )
            bert.boss = anna
            try context.save()
            bert.boss = nil
            try merge(graph, into: context) { try $0.people("age == 1").forEach($0.delete) }
            #expect(try bert.changedValues().isEmpty && bert.boss == nil && bert.isUpdated)
        }
    }

    @Test
    func `a reference that an edit has emptied stays empty over one that another context set`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            let bert = try context.person("Bert", age: 2, boss: anna)
            try context.person("Carl", age: 3)
            try context.save()
            bert.boss = nil
            try merge(graph, into: context) { other throws in
                try other.people("age == 2").first?.boss = other.people("age == 3").first
                try other.people("age == 1").forEach(other.delete)
            }
            #expect(try bert.boss == nil && bert.changedValues() == ["boss": .null])
        }
    }

    @Test func `an owner merged during a member's deletion has the member again after a rollback`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { other throws in
            try other.person("Bert", age: 2).boss = other.person("Anna", age: 1)
            try other.save()
        }
        let following = graph.context()
        nonisolated(unsafe) var held: Person?
        try following.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            try context.people("age == 2").forEach(context.delete)
            context.processPendingChanges()
            let anna = try #require(try context.people("age == 1").first)
            #expect(anna.reports.isEmpty && !anna.hasChanges)
            held = anna
        }
        try graph.inContext { other throws in
            try other.people("age == 1").first?.lastName = "A"
            try other.save()
        }
        try following.performAndWait { context throws in
            let anna = try #require(held)
            #expect(anna.lastName == "A")
            context.rollback()
            #expect(anna.reports.map(\.age) == [2])
        }
    }

    @Test func `a merge reads once for each entity, and only what is registered`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for number in 0..<40 { try context.person("p\(number)", age: Int64(number)) }
            try context.insert(Group.self).title = "g"
            try context.save()
            let held = try context.people("age < 5")
            let group = try context.fetch(FetchRequest<Group>())
            _ = held.map(\.age) + group.map { Int64($0.members.count) }
            let before = graph.coordinator.store.readStatistics
            let ids: ObjectIDChanges = try graph.inContext { other throws in
                let log = NotificationLog(ManagedObjectContext.didSave, of: other)
                for person in try other.people() { person.age += 100 }
                try other.fetch(FetchRequest<Group>()).first?.title = "h"
                try other.save()
                return try #require(log.all.last)
            }
            let between = graph.coordinator.store.readStatistics
            try context.mergeChanges(from: ids)
            let after = graph.coordinator.store.readStatistics
            #expect(before.selects < between.selects)
            #expect(after.selects - between.selects == 2)
            #expect(after.rows - between.rows == held.count + 1)
            #expect(Set(held.map(\.age)) == Set(100..<105))
            #expect(group.map(\.title) == ["h"])
        }
    }

    @Test func `a merged deletion removes the object, and references to it read nil`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            try context.save()
            boss.age = 9
            let id = boss.objectID
            let log = NotificationLog(
                ManagedObjectContext.objectsDidChange,
                ManagedObjectContext.didMergeChangesObjectIDs, of: context)
            try merge(graph, into: context) { $0.delete(try $0.people()[1]) }
            #expect(boss.isDeleted && boss.managedObjectContext == nil)
            #expect(boss.firstName == "Boss")
            #expect(anna.boss == nil && !anna.hasChanges && !context.hasChanges)
            #expect(log.all.map { Array($0.deleted) } == [[id], [id]])
            #expect(context.registeredObject(for: id) == nil)
            try context.save()
        }
    }

    @Test func `a merge reports each kind separately, of deletions only registered objects`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            try context.save()
            let unknown = try graph.inContext { other throws in
                let dan = try other.person("Dan")
                try other.save()
                return dan.objectID
            }
            let log = NotificationLog(
                ManagedObjectContext.objectsDidChange,
                ManagedObjectContext.didMergeChangesObjectIDs, of: context)
            try merge(graph, into: context) { other in
                let people = try other.people()
                people[0].age = 3
                other.delete(people[1])
                other.delete(people[2])
                try other.person("Eve")
            }
            let (event, merged) = (try #require(log.all.first), try #require(log.all.last))
            #expect(log.all.count == 2 && event.updated.isEmpty)
            #expect(Array(event.refreshed) == [anna.objectID])
            #expect(Array(event.deleted) == [bob.objectID])
            #expect(event.inserted.count == 1 && Array(event.inserted) == Array(merged.inserted))
            #expect(Array(merged.updated) == [anna.objectID])
            #expect(Array(merged.refreshed) == [anna.objectID])
            #expect(Set(merged.deleted) == [bob.objectID, unknown])
        }
    }

    @Test func `a merge by IDs takes nested contexts in whichever order they are named`()
        async throws
    {
        let graph = try Graph()
        let parent = graph.context()
        let child = BackgroundContext(parent: parent)
        try graph.inContext { context throws in
            try context.person("Anna", age: 1)
            try context.save()
        }
        for context in [parent, child] {
            try context.performAndWait { context throws in
                context.retainsRegisteredObjects = true
                #expect(try context.people().map(\.age) == [1])
            }
        }
        let changes = try graph.changes { try $0.people().first?.age = 2 }
        try await ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: changes, into: [child, parent])
        for context in [parent, child] {
            let ages = context.performAndWait { context in
                context.registeredObjects.compactMap { ($0 as? Person)?.age }
            }
            #expect(ages == [2])
        }
    }

    @Test func `relationships of registered objects follow what was saved elsewhere`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let first = try context.person("First")
            let second = try context.person("Second")
            let anna = try context.person("Anna", boss: first)
            let group = try context.insert(Group.self)
            try context.save()
            #expect(first.reports.count == 1 && second.reports.isEmpty && group.members.isEmpty)
            let bob = try context.person("Bob", boss: first)
            try merge(graph, into: context) { other in
                let people = try other.people()
                people[0].boss = people[2]
                try other.person("Cyd", boss: people[2])
                try other.fetch(FetchRequest<Group>()).first?.members.insert(people[0])
            }
            #expect(anna.boss === second)
            #expect(first.reports.objects == [bob])
            #expect(second.reports.map(\.firstName) == ["Anna", "Cyd"])
            #expect(group.members.objects == [anna] && anna.groups.objects == [group])
        }
    }

    @Test func `an unsaved reference keeps its object out of the owner that another context saved`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let first = try context.person("First")
            let second = try context.person("Second")
            let anna = try context.person("Anna", boss: first)
            try context.save()
            anna.boss = nil
            try merge(graph, into: context) { other in
                let people = try other.people()
                people[0].boss = people[2]
            }
            #expect(anna.boss == nil && first.reports.isEmpty && second.reports.isEmpty)
            try context.save()
            #expect(second.reports.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a link that another context has changed in the same way can be changed back`(
        isAdded: Bool
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bob) = (try context.person("Anna"), try context.person("Bob"))
            let group = try context.insert(Group.self)
            if !isAdded {
                anna.friends.insert(bob)
                anna.groups.insert(group)
            }
            try context.save()
            func link(_ isAdded: Bool, _ anna: Person, _ bob: Person, _ group: Group) {
                if isAdded {
                    anna.friends.insert(bob)
                    group.members.insert(anna)
                } else {
                    bob.friends.remove(anna)
                    anna.groups.remove(group)
                }
            }
            link(isAdded, anna, bob, group)
            try merge(graph, into: context) { other throws in
                let people = try other.people()
                link(isAdded, people[0], people[1], try other.fetch(FetchRequest<Group>())[0])
            }
            link(!isAdded, anna, bob, group)
            #expect(anna.friends.contains(bob) != isAdded && bob.friends.contains(anna) != isAdded)
            #expect(group.members.contains(anna) != isAdded)
            try context.save()
            try graph.inContext { other throws in
                let anna = try other.people()[0]
                #expect(anna.friends.isEmpty == isAdded && anna.groups.isEmpty == isAdded)
            }
        }
    }

    @Test func `a change that another context has saved too is no change any more`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bob) = (try context.person("Anna"), try context.person("Bob"))
            try context.save()
            bob.boss = anna
            bob.friends.insert(anna)
            try merge(graph, into: context) { other throws in
                let people = try other.people()
                people[1].boss = people[0]
                people[1].friends.insert(people[0])
            }
            #expect(anna.reports.objects == [bob] && anna.friends.objects == [bob])
            #expect(try bob.changedValues().isEmpty && bob.friends.count == 1)
            #expect(!anna.hasPersistentChangedValues && !bob.hasPersistentChangedValues)
            bob.boss = nil
            #expect(anna.changedRelationshipNames == ["reports"] && anna.reports.isEmpty)
        }
    }

    @Test
    func `an edit that another context saved too does not return when that context reverts it`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bob) = (try context.person("Anna"), try context.person("Bob"))
            bob.boss = anna
            try context.save()
            for isRelated in [false, true] {
                bob.boss = isRelated ? anna : nil
                for isRelated in [isRelated, !isRelated] {
                    try merge(graph, into: context) { other throws in
                        let people = try other.people()
                        people[1].boss = isRelated ? people[0] : nil
                    }
                }
                #expect((bob.boss == nil) == isRelated && anna.reports.isEmpty == isRelated)
                #expect(!anna.hasPersistentChangedValues && !bob.hasPersistentChangedValues)
            }
        }
    }

    @Test func `a rollback shows both ends what was merged under an edit`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try ["Anna", "Bob", "Cyd"].map { try context.person($0) }
            try context.save()
            people[2].boss = people[1]
            try merge(graph, into: context) { other throws in
                let people = try other.people()
                people[2].boss = people[0]
            }
            #expect(people[0].reports.isEmpty)
            context.rollback()
            #expect(people[2].boss == people[0])
            #expect(people[0].reports.objects == [people[2]] && people[1].reports.isEmpty)
        }
    }

    @Test func `an object loses its one-to-one to a save that had not seen it`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let passports = try (1...2).map { _ in try context.insert(Passport.self) }
            try context.save()
            try graph.inContext { other throws in
                let stale = try passports.map { try other.existingObject(with: $0.objectID) }
                let holder = try other.people()[0]
                #expect(holder.passport == nil)
                passports[0].holder = anna
                try context.save()
                (stale[1] as? Passport)?.holder = holder
                let log = NotificationLog(ManagedObjectContext.didSave, of: other)
                try other.save()
                let changes = try #require(log.all.last)
                #expect(changes.refreshed.contains(passports[0].objectID))
                #expect(!changes.updated.contains(passports[0].objectID))
                try context.mergeChanges(from: changes)
            }
            #expect(anna.passport === passports[1] && passports[0].holder == nil)
            #expect(passports[1].holder === anna && !context.hasChanges)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `an edit of a one-to-one stays, whatever target another context has saved`(
        fromHolder: Bool, isRead: Bool
    ) throws {
        // The order of two elements in a set differs between sets, so this runs several times.
        for _ in 0..<8 {
            let graph = try Graph()
            try graph.inContext { context throws in
                let anna = try context.person("Anna")
                let passports = try (1...2).map { _ in try context.insert(Passport.self) }
                try context.save()
                let ids = (anna.objectID, passports[1].objectID)
                if isRead { #expect(anna.passport == nil) }
                if fromHolder {
                    anna.passport = passports[0]
                } else {
                    passports[0].holder = anna
                }
                try graph.inContext { other throws in
                    let passport = try #require(try other.existingObject(with: ids.1) as? Passport)
                    passport.holder = try other.existingObject(with: ids.0) as? Person
                    try other.save()
                }
                try context.mergeChanges(
                    from: ObjectIDChanges(updated: [anna.objectID, passports[1].objectID]))
                #expect(anna.passport === passports[0] && passports[0].holder === anna)
                #expect(passports[1].holder === anna)
                try context.save()
                #expect(anna.passport === passports[0] && passports[0].holder === anna)
                #expect(passports[1].holder == nil)
            }
        }
    }

    @Test func `contexts merge automatically when they are set to`() async throws {
        let graph = try Graph()
        let watching = graph.context()
        let ignoring = graph.context()
        try graph.inContext { context throws in
            try context.person("Anna", age: 1)
            try context.save()
        }
        for (context, isMerging) in [(watching, true), (ignoring, false)] {
            try context.performAndWait { context in
                context.automaticallyMergesChangesFromParent = isMerging
                try context.people().first?.mood = "keeps the object"
            }
        }
        try graph.inContext { context throws in
            try context.people().first?.age = 2
            try context.save()
        }
        let ages = try await [watching, ignoring].asyncMap { context in
            try await context.perform { try #require($0.updatedObjects.first as? Person).age }
        }
        #expect(ages == [2, 1])
    }

    @Test func `remote changes reach a context that follows by ID, with one read`() async throws {
        let (here, statements) = try Graph.logging()
        let there = try Graph()
        let zone = Zone()
        let anna = try here.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.person("Bob", age: 2)
            try context.save()
            return anna.objectID
        }
        try zone.exchange(here)
        try zone.exchange(there)
        let context = here.context()
        let log = try context.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            for person in try context.people() { person.lastName = "edited" }
            context.processPendingChanges()
            return NotificationLog(
                ManagedObjectContext.didMergeChangesObjectIDs, of: context)
        }
        try there.inContext { context throws in
            try context.people("firstName == 'Anna'").first?.age = 7
            context.delete(try #require(try context.people("firstName == 'Bob'").first))
            try context.person("Cyd")
            try context.save()
        }
        try zone.exchange(there)
        let changed = try zone.exchange(here)
        let before = here.readStatements
        _ = statements?.take()
        await withCheckedContinuation { done in
            here.coordinator.didApply(changed) { done.resume() }
        }
        #expect(
            here.readStatements - before == 1, "\(statements?.take().map(\.sql) ?? [])")
        let merged = try #require(log.all.last)
        #expect(merged.author == "sync")
        #expect(Array(merged.updated) == [anna])
        #expect(merged.inserted.count == 1 && merged.deleted.count == 1)
        try await context.perform { context in
            #expect(try context.people("age == 7").map(\.lastName) == ["edited"])
            try context.save()
            #expect(try context.people().map(\.firstName) == ["Anna", "Cyd"])
        }
    }

    @Test func `changes of two stores are refused, also where the first is of this one`() throws {
        let (graph, other) = (try Graph(), try Graph())
        func bert(_ graph: Graph) throws -> ManagedObjectID {
            try graph.inContext { context throws in
                try context.person("Anna")
                let bert = try context.person("Bert")
                try context.save()
                return bert.objectID
            }
        }
        let foreign = try bert(other)
        _ = try bert(graph)
        try graph.inContext { context throws in
            let people = try context.people()
            people[1].age = 7
            let mixed = [people[0].objectID, foreign]
            let error = #expect(throws: PropertyError.self) {
                try context.mergeChanges(from: ObjectIDChanges(deleted: mixed))
            }
            #expect(error?.code == .foreignObject)
            #expect(people.allSatisfy { !$0.isDeleted } && context.updatedObjects == [people[1]])
            #expect(ObjectIDList(mixed).elementsEqual(mixed))
            try context.save()
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async throws -> [T] {
        var results: [T] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
