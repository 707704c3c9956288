import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import Testing

/// Tests of relationships that are read together with the found objects.
@Suite struct `Prefetching` {
    /// Saves bosses with reports, each report with a passport and in a group.
    private func filled(bosses: Int, reports: Int) throws -> Graph {
        let graph = try Graph()
        try graph.inContext { context throws in
            for boss in 0..<bosses {
                let top = try context.person("boss", age: Int64(boss))
                let group = try context.insert(Group.self)
                group.title = "g\(boss)"
                for report in 0..<reports {
                    let person = try context.person("p\(report)", age: -1, boss: top)
                    person.groups.insert(group)
                    person.passport = try context.insert(Passport.self)
                }
            }
            try context.save()
        }
        return graph
    }

    private func bosses(prefetching keyPaths: String...) throws -> FetchRequest<Person> {
        var request = try FetchRequest<Person>(where: \.age >= 0)
        request.relationshipKeyPathsForPrefetching = keyPaths
        return request
    }

    @Test func `a to-many relationship and its objects cost one more read`() throws {
        let graph = try filled(bosses: 20, reports: 10)
        try graph.inContext { context throws in
            let before = graph.readStatements
            let people = try context.fetch(bosses(prefetching: "reports"))
            #expect(graph.readStatements == before + 2)
            #expect(people.map(\.reports.count) == Array(repeating: 10, count: 20))
            #expect(people.flatMap { $0.reports.compactMap(\.firstName) }.count == 200)
            #expect(graph.readStatements == before + 2)
        }
    }

    @Test func `key paths cost one read for each relationship, and share what they begin with`()
        throws
    {
        // Links cost another one, for the state in which they were read.
        let graph = try filled(bosses: 5, reports: 4)
        try graph.inContext { context throws in
            let before = graph.readStatements
            let people = try context.fetch(
                bosses(prefetching: "reports.passport", "reports.groups", "reports"))
            #expect(graph.readStatements == before + 5)
            let reports = people.flatMap(\.reports.objects)
            #expect(reports.count == 20 && reports.allSatisfy { $0.passport?.number == nil })
            #expect(Set(reports.flatMap { $0.groups.compactMap(\.title) }).count == 5)
            #expect(graph.readStatements == before + 5)
            _ = try context.fetch(bosses(prefetching: "reports.passport"))
            #expect(graph.readStatements == before + 6)
        }
    }

    @Test func `the objects of one to-many are read with it, and another owner prepares nothing`()
        throws
    {
        let graph = try filled(bosses: 2, reports: 4)
        try graph.inContext { context throws in
            let people = try context.fetch(bosses())
            let before = graph.coordinator.store.readStatistics
            #expect(people[0].reports.compactMap(\.firstName).sorted() == ["p0", "p1", "p2", "p3"])
            let between = graph.coordinator.store.readStatistics
            #expect((between - before).selects == 1)
            #expect(people[1].reports.compactMap(\.firstName).count == 4)
            let after = graph.coordinator.store.readStatistics
            #expect((after - between).selects == 1 && (after - between).preparations == 0)
            let groups = try context.fetch(FetchRequest<Group>(sortedBy: \.title))
            // Links cost another one, for the state in which they were read.
            let beforeLinks = graph.readStatements
            #expect(groups.map { $0.members.objects.count } == [4, 4])
            #expect(graph.readStatements == beforeLinks + 4)
        }
    }

    @Test func `reading a to-many with its objects keeps unsaved changes`() throws {
        let graph = try filled(bosses: 2, reports: 4)
        try graph.inContext { context throws in
            let people = try context.fetch(bosses())
            let (owner, other) = (people[0], people[1])
            let all = try context.fetch(
                FetchRequest<Person>(where: \.boss == owner, sortedBy: \.firstName))
            let (gone, moved, edited) = (all[0], all[1], all[2])
            edited.firstName = "new"
            context.delete(gone)
            moved.boss = other
            let new = try context.person("p9", boss: owner)
            context.processPendingChanges()
            let names = Set(owner.reports.compactMap(\.firstName))
            #expect(names == ["new", "p3", "p9"])
            #expect(owner.reports.objects.contains { $0 === new })
            #expect(other.reports.objects.count == 5)
        }
    }

    @Test func `the members of an owner that was deleted elsewhere refer to no object`() throws {
        let graph = try filled(bosses: 2, reports: 3)
        try graph.inContext { context throws in
            let owner = try #require(try context.fetch(bosses()).first)
            let id = owner.objectID
            try graph.inContext { other throws in
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
            let members = owner.reports.objects
            #expect(members.count == 3 && members.allSatisfy { $0.boss == nil })
        }
    }

    @Test func `unsaved changes stay`() throws {
        let graph = try filled(bosses: 2, reports: 2)
        try graph.inContext { context throws in
            let people = try context.fetch(bosses(prefetching: "reports"))
            let moved = try #require(people[0].reports.objects.first)
            moved.boss = people[1]
            moved.firstName = "moved"
            let again = try context.fetch(bosses(prefetching: "reports.passport"))
            #expect(Set(again.map(\.reports.count)) == [1, 3])
            #expect(moved.firstName == "moved")
        }
    }

    @Test func `a child context gets what its parent shows`() throws {
        let graph = try filled(bosses: 2, reports: 2)
        let parent = graph.context()
        try parent.performAndWait { context throws in
            let boss = try #require(try context.people("age == 0").first)
            try context.person("new", age: -1, boss: boss)
        }
        try BackgroundContext(parent: parent).performAndWait { context throws in
            let people = try context.fetch(bosses(prefetching: "reports.passport"))
            #expect(people.map(\.reports.count).sorted() == [2, 3])
        }
    }

    @Test(arguments: ["nothing", "firstName", "reports.nothing", "reports.", ""])
    func `a key that is no relationship is refused`(_ keyPath: String) throws {
        let graph = try filled(bosses: 1, reports: 1)
        try graph.inContext { context throws in
            let error = #expect(throws: PropertyError.self) {
                try context.fetch(bosses(prefetching: keyPath))
            }
            #expect(error?.code == .unknownProperty)
        }
    }
}
