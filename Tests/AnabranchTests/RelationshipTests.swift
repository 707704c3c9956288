import Anabranch
import Foundation
import Testing

@Suite struct `Relationships` {
    @Test func `setting a to-one changes the to-many of both owners at once`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let first = try context.person("First")
            let second = try context.person("Second")
            let anna = try context.person("Anna", boss: first)
            #expect(first.reports.contains(anna) && first.reports.count == 1)
            anna.boss = second
            #expect(first.reports.isEmpty && second.reports.objects == [anna])
            second.reports.remove(anna)
            #expect(anna.boss == nil)
            first.reports.insert(anna)
            #expect(anna.boss === first)
        }
    }

    @Test func `a saved graph is the same in another context`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let boss = try context.person("Boss")
            for name in ["Anna", "Bob", "Cyd"] { try context.person(name, boss: boss) }
            let group = try context.insert(Group.self)
            group.members.formUnion(try context.people())
            try context.save()
            return boss.objectID
        }
        try graph.inContext { context throws in
            let boss = try #require(try context.existingObject(with: id) as? Person)
            let before = graph.readStatements
            #expect(boss.reports.count == 3)
            #expect(graph.readStatements == before + 1)
            #expect(boss.reports.map(\.firstName) == ["Anna", "Bob", "Cyd"])
            #expect(graph.readStatements == before + 2)
            #expect(boss.reports.allSatisfy { $0.boss === boss })
            #expect(boss.groups.objects.first?.members.count == 4)
        }
    }

    @Test func `the owner of a to-many need not be read to get a member`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.person("Anna", boss: boss)
            try context.save()
            return boss.objectID
        }
        try graph.inContext { context throws in
            let boss = try #require(context.object(with: id) as? Person)
            let before = graph.readStatements
            let bob = try context.person("Bob", boss: boss)
            #expect(graph.readStatements == before && boss.isFault)
            #expect(context.updatedObjects == [boss])
            #expect(Set(boss.reports.map(\.firstName)) == ["Anna", "Bob"])
            bob.boss = nil
            #expect(boss.reports.count == 1)
            try context.save()
        }
    }

    @Test func `an unread member that moves away is not a member any more`() throws {
        let graph = try Graph()
        let (boss, anna) = try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            try context.person("Bob", boss: boss)
            try context.save()
            return (boss.objectID, anna.objectID)
        }
        try graph.inContext { context throws in
            let anna = try #require(context.object(with: anna) as? Person)
            anna.boss = nil
            let boss = try #require(context.object(with: boss) as? Person)
            #expect(boss.reports.map(\.firstName) == ["Bob"])
            anna.boss = boss
            #expect(boss.reports.count == 2)
            #expect(!anna.hasPersistentChangedValues)
        }
    }

    @Test func `a one-to-one has one holder on either side`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            let passport = try context.insert(Passport.self)
            anna.passport = passport
            #expect(passport.holder === anna)
            try context.save()
            bob.passport = passport
            #expect(passport.holder === bob && anna.passport == nil)
            passport.holder = anna
            #expect(anna.passport === passport && bob.passport == nil)
            let other = try context.insert(Passport.self)
            other.holder = anna
            #expect(anna.passport === other && passport.holder == nil)
            try context.save()
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.people("firstName == 'Anna'").first)
            #expect(anna.passport?.holder === anna)
            let all = try context.fetch(FetchRequest<Passport>())
            #expect(all.count == 2 && all.compactMap(\.holder) == [anna])
        }
    }

    @Test func `a many-to-many has both sides`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let group = try context.insert(Group.self)
            anna.groups.insert(group)
            #expect(group.members.objects == [anna])
            group.members.remove(anna)
            #expect(anna.groups.isEmpty)
            group.members.insert(anna)
            try context.save()
        }
        try graph.inContext { context throws in
            let group = try #require(try context.fetch(FetchRequest<Group>()).first)
            let anna = try #require(group.members.objects.first)
            group.members.insert(anna)
            #expect(!context.hasChanges)
            anna.groups.remove(group)
            try context.save()
            #expect(group.members.isEmpty)
        }
        try graph.inContext { context throws in
            #expect(try context.fetch(FetchRequest<Group>()).first?.members.count == 0)
        }
    }

    @Test func `a relationship that is its own inverse holds both ways`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            let cyd = try context.person("Cyd")
            bob.friends.insert(anna)
            bob.friends.insert(cyd)
            anna.friends.insert(anna)
            #expect(anna.friends.count == 2 && cyd.friends.objects == [bob])
            try context.save()
        }
        try graph.inContext { context throws in
            let people = try context.people()
            #expect(people.map(\.friends.count) == [2, 2, 1])
            people[0].friends.remove(people[1])
            #expect(people[1].friends.objects == [people[2]])
            try context.save()
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.friends.count) == [1, 1, 1])
        }
    }

    @Test func `a to-one may point to an object of a sub-entity`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.insert(Employee.self)
            boss.badge = "7"
            try context.person("Anna", boss: boss)
            try context.save()
        }
        try graph.inContext { context throws in
            var request = FetchRequest<Person>()
            request.includesSubentities = false
            let anna = try #require(try context.fetch(request).first)
            #expect((anna.boss as? Employee)?.badge == "7")
        }
    }

    @Test func `objects of another context can't be related`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            // After a reset, objects from before belong to another context.
            context.reset()
            let bob = try context.person("Bob")
            let error = #expect(throws: PropertyError.self) {
                try bob.setObject(anna, forKey: "boss")
            }
            #expect(error?.code == .foreignObject)
            bob.boss = anna
            #expect(bob.boss == nil)
            #expect(throws: PropertyError.self) { try context.save() }
        }
    }

    @Test func `a one-to-one can get another holder after its holder was deleted`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.insert(Passport.self).holder = anna
            try context.save()
            return anna.objectID
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.existingObject(with: id) as? Person)
            let old = try #require(anna.passport)
            try context.refresh(old, mergeChanges: false)
            try graph.inContext { other throws in
                try other.fetch(FetchRequest<Passport>()).forEach(other.delete)
                try other.save()
            }
            let passport = try context.insert(Passport.self)
            passport.holder = anna
            #expect(anna.passport === passport)
            try context.save()
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.existingObject(with: id) as? Person)
            #expect(anna.passport != nil)
        }
    }

    @Test func `a member that an unsaved edit has moved is restored by a rollback`()
        throws
    {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            try context.person("Anna", boss: context.person("Boss"))
            try context.save()
            return try context.people()[0].objectID
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.existingObject(with: id) as? Person)
            anna.boss = nil
            try graph.inContext { other throws in
                let people = try other.people()
                people[0].boss = try other.person("Chief")
                try other.save()
            }
            try context.mergeChanges(from: ObjectIDChanges(updated: [id]))
            let chief = try context.people("firstName == 'Chief'")[0]
            #expect(anna.boss == nil && chief.reports.isEmpty)
            context.rollback()
            #expect(anna.boss === chief && chief.reports.objects == [anna])
        }
    }

    @Test(arguments: [false, true])
    func `a link that another context has saved too disappears at both ends when it is removed`(
        isReadBetween: Bool
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let group = try context.insert(Group.self)
            try context.save()
            try context.refresh(group, mergeChanges: false)
            #expect(anna.groups.isEmpty)
            let changes = try graph.changes { other in
                let same = try #require(try other.fetch(FetchRequest<Group>()).first)
                same.members.insert(try other.people()[0])
            }
            anna.groups.insert(group)
            if isReadBetween { #expect(group.members.objects == [anna]) }
            anna.groups.remove(group)
            #expect(anna.groups.isEmpty && group.members.isEmpty)
            try context.mergeChanges(from: changes)
            #expect(anna.groups.isEmpty && group.members.isEmpty)
            #expect(anna.changedRelationshipNames == ["groups"])
            #expect(group.changedRelationshipNames == ["members"])
            try context.save()
            #expect(anna.groups.isEmpty && group.members.isEmpty)
        }
        try graph.inContext { context throws in
            #expect(try context.people()[0].groups.isEmpty)
        }
    }
}
