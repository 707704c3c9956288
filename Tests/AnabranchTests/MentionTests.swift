import Foundation
import Testing

@testable import Anabranch

/// Tests of references to deleted records, looked up as contexts with many objects do.
@Suite struct `References to deleted records` {
    private func inLargeContext(
        _ graph: Graph, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try graph.inContext { context throws in
            context.searchLimits = SearchLimits(always: 0, each: 0)
            try body(context)
            #expect(context.inconsistencies == [])
        }
    }

    @Test func `a deletion reaches rows and loaded relationships, and a rollback brings it back`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            anna.friends.insert(boss)
            try context.insert(Group.self).members.insert(boss)
            try context.person("Zoe")
            try context.save()
        }
        try inLargeContext(graph) { context in
            let people = try context.people()
            let (anna, boss, zoe) = (people[0], people[1], people[2])
            let group = try #require(try context.fetch(FetchRequest<Group>()).first)
            #expect(group.members.count == 1 && anna.friends.count == 1 && zoe.reports.isEmpty)
            zoe.boss = boss
            context.delete(boss)
            context.processPendingChanges()
            #expect(anna.boss == nil && zoe.boss == nil)
            #expect(anna.friends.isEmpty && group.members.isEmpty)
            #expect(context.updatedObjects == [anna, zoe, group])
            context.rollback()
            #expect(anna.boss === boss && zoe.boss == nil && boss.reports.objects == [anna])
            #expect(anna.friends.count == 1 && group.members.count == 1)
            context.delete(boss)
            try context.save()
            #expect(anna.boss == nil && group.members.isEmpty && !context.hasChanges)
        }
    }

    @Test func `another context's deletion reaches them though its record was never read here`()
        throws
    {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            anna.groups.insert(try context.insert(Group.self))
            boss.groups.formUnion(anna.groups)
            try context.person("Zoe")
            try context.save()
            return boss.objectID
        }
        try inLargeContext(graph) { context in
            let anna = try #require(try context.people("firstName == 'Anna'").first)
            let zoe = try #require(try context.people("firstName == 'Zoe'").first)
            let group = try #require(anna.groups.objects.first)
            #expect(group.members.count == 2 && zoe.age == 0)
            try graph.inContext { other throws in
                other.delete(other.object(with: id))
                try other.save()
            }
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            try context.mergeChanges(from: ObjectIDChanges(deleted: [id]))
            #expect(anna.boss == nil && group.members.objects == [anna])
            #expect(!context.hasChanges)
            #expect(Set(log.all[0].refreshed) == [anna.objectID, group.objectID])
        }
    }

    @Test func `the lists of loaded relationships forget what has lost them`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            for number in 0..<100 { try context.person("\(number)", boss: boss) }
            try context.save()
        }
        try inLargeContext(graph) { context in
            let held = try context.people("boss == nil")
            for _ in 0..<20 {
                for person in try context.people() { _ = person.friends.count }
                for person in held {
                    try context.refresh(person, mergeChanges: false)
                    _ = person.friends.count
                }
            }
            let home = held[0].home
            let index = try #require(home.plan.relations.firstIndex { $0.name == "friends" })
            #expect((64...300).contains(home.related[index].ids.count))
            #expect(home.related[index].ids.contains(held[0].localID))
        }
    }

    @Test func `a reference that the store does not have any more reads nil, too`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.person("Anna", boss: boss)
            try context.save()
        }
        try inLargeContext(graph) { context in
            let people = try context.people()
            let (anna, boss) = (people[0], people[1])
            #expect(anna.boss === boss)
            try graph.inContext { other throws in
                try other.people()[0].boss = nil
                try other.save()
            }
            context.delete(boss)
            try context.save()
            #expect(anna.boss == nil && !context.hasChanges)
            anna.boss = try context.person("New")
            try context.refresh(anna, mergeChanges: true)
            try context.save()
            #expect(anna.boss?.firstName == "New")
        }
    }
}
