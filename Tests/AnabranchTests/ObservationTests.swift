import Foundation
import Observation
import Synchronization
import Testing

@testable import Anabranch

/// Records whether anything that a closure has read has changed since.
final class Look: Sendable {
    private let count = Atomic<Int>(0)

    init(_ body: () -> Void) {
        withObservationTracking(body) { [self] in
            _ = count.add(1, ordering: .sequentiallyConsistent)
        }
    }

    var isOutdated: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }
}

@Suite struct `Observing objects` {
    private func inObservableContext(
        _ graph: Graph, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try graph.inContext { context throws in
            context.isObservable = true
            try body(context)
        }
    }

    @Test func `a change notifies the observers that have read that property of that object`()
        throws
    {
        try inObservableContext(try Graph()) { context in
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob")
            let name = Look { _ = anna.firstName }
            let age = Look { _ = anna.age }
            let byName = Look { _ = anna["age"] }
            let other = Look { _ = bob.firstName }
            anna.firstName = "Anne"
            #expect(name.isOutdated && !age.isOutdated && !other.isOutdated)
            let again = Look { _ = anna.firstName }
            #expect(!again.isOutdated)
            try anna.setValue(2, forKey: "age")
            #expect(age.isOutdated && byName.isOutdated && !again.isOutdated)
            anna.firstName = "Anja"
            #expect(again.isOutdated && !other.isOutdated)
        }
    }

    @Test func `a transformable attribute is observed like any attribute`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            context.isObservable = true
            let laptop = try context.insert(Laptop.self)
            let look = Look { _ = laptop.colour }
            laptop.colour = .teal
            let byName = Look { _ = try? laptop.transformedValue(forKey: "colour", as: Dye.self) }
            #expect(look.isOutdated && !byName.isOutdated)
            laptop.colour = nil
            #expect(byName.isOutdated)
        }
    }

    @Test func `accessors that a class writes itself are observed`() throws {
        try inObservableContext(try Graph()) { context in
            let anna = try context.person("Anna")
            let look = Look { _ = anna.firstName }
            let own = Look {
                anna.willAccessValue(forKey: "firstName")
                _ = anna.primitiveValue(forKey: "firstName")
                anna.didAccessValue(forKey: "firstName")
            }
            anna.willChangeValue(forKey: "firstName")
            anna.setPrimitiveValue("Anne", forKey: "firstName")
            anna.didChangeValue(forKey: "firstName")
            #expect(look.isOutdated && own.isOutdated)
        }
    }

    @Test func `an object that an undo recreates is reported under its former ID`() throws {
        try inObservableContext(try Graph()) { context in
            context.undoManager = UndoStack()
            let anna = try context.person("Anna")
            try context.save()
            let look = Look { _ = anna.firstName }
            context.delete(anna)
            try context.save()
            context.undo()
            #expect(look.isOutdated && anna.firstName == "Anna")
            let again = Look { _ = anna.firstName }
            anna.firstName = "Anne"
            #expect(again.isOutdated)
        }
    }

    @Test func `both ends of a relationship are reported`() throws {
        try inObservableContext(try Graph()) { context in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna")
            let group = try context.insert(Group.self)
            let looks = [
                Look { _ = anna.boss }, Look { _ = boss.reports.count },
                Look { _ = group.members.objects }, Look { _ = anna.groups.isEmpty },
            ]
            let name = Look { _ = anna.firstName }
            anna.boss = boss
            group.members.insert(anna)
            #expect(looks.map(\.isOutdated) == [true, true, true, true] && !name.isOutdated)
            try context.save()
            let afterDeletion = [Look { _ = anna.boss }, Look { _ = group.members.count }]
            context.delete(boss)
            context.processPendingChanges()
            #expect(afterDeletion.map(\.isOutdated) == [true, false])
        }
    }

    @Test func `a merge reports what it has changed, and nothing else`() throws {
        let graph = try Graph()
        try inObservableContext(graph) { context in
            let anna = try context.person("Anna", age: 1)
            let boss = try context.person("Boss")
            try context.save()
            let age = Look { _ = anna.age }
            let name = Look { _ = anna.firstName }
            let reports = Look { _ = boss.reports.count }
            try graph.inContext { other throws in
                let people = try other.people()
                people[0].age = 2
                people[0].boss = people[1]
                try other.save()
            }
            try context.mergeChanges(
                from: ObjectIDChanges(updated: [anna.objectID, boss.objectID]))
            #expect(age.isOutdated && reports.isOutdated && !name.isOutdated)
            #expect(anna.age == 2 && boss.reports.count == 1)
        }
    }

    @Test func `refreshing, rolling back, resetting and a deletion elsewhere are reported`() throws
    {
        let graph = try Graph()
        try inObservableContext(graph) { context in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            func looks(after change: () throws -> Void) rethrows -> Bool {
                let look = Look { _ = anna.age }
                try change()
                return look.isOutdated
            }
            #expect(try looks { try context.refresh(anna, mergeChanges: false) })
            anna.age = 2
            #expect(looks { context.rollback() })
            #expect(anna.age == 1)
            let id = anna.objectID
            #expect(
                try looks { try context.mergeChanges(from: ObjectIDChanges(deleted: [id])) })
            let bob = try context.person("Bob")
            let look = Look { _ = bob.firstName }
            context.reset()
            #expect(look.isOutdated)
        }
    }

    @Test func `main-queue contexts are observable, private ones only on request`()
        async throws
    {
        let graph = try Graph()
        #expect(await MainActor.run { graph.container.viewContext.isObservable })
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            #expect(!context.isObservable)
            let unnoticed = Look { _ = anna.age }
            anna.age = 1
            #expect(!unnoticed.isOutdated)
            context.isObservable = true
            let noticed = Look { _ = anna.age }
            anna.age = 2
            #expect(noticed.isOutdated)
            context.isObservable = false
            let later = Look { _ = anna.age }
            anna.age = 3
            #expect(!later.isOutdated && anna.age == 3)
            #expect(try anna.changedValues()["age"] == .integer(3))
        }
    }

    @Test func `observations of deleted objects are released`() throws {
        let graph = try Graph()
        try inObservableContext(graph) { context in
            for round in 0..<4 {
                var people: [Person] = []
                for number in 0..<5000 { people.append(try context.person("\(number)")) }
                let look = Look { for person in people { _ = person.firstName } }
                people[4321].firstName = "\(round)"
                #expect(look.isOutdated)
                context.rollback()
            }
            // The context still has the 5,000 objects of the last round and the pages for them.
            #expect((context.observation?.pageCount ?? 0) <= 5000 / 64 * 2 + 4)
        }
    }

    @Test func `an observer of a pinned context may read while a refresh notifies it`() async throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.person("Anna", age: 1, boss: boss)
            try context.save()
        }
        let context = graph.context()
        let done = Mutex(false)
        // If the code deadlocks, the test does not wait with it.
        let task = Task.detached {
            try await context.perform { context in
                context.isObservable = true
                try context.setQueryGeneration(from: .current)
                let anna = try context.people("firstName == 'Anna'")[0]
                nonisolated(unsafe) let observed = anna
                nonisolated(unsafe) var boss: String?
                anna.lastName = "A"
                // Another context saves while the last name has an unsaved change.
                try graph.inContext { other throws in
                    try other.people("firstName == 'Anna'")[0].age = 2
                    try other.save()
                }
                try context.setQueryGeneration(from: nil)
                try context.setQueryGeneration(from: .current)
                withObservationTracking {
                    _ = anna.age
                } onChange: {
                    boss = observed.boss?.firstName
                }
                try context.refresh(anna, mergeChanges: true)
                #expect(anna.age == 2 && boss == "Boss")
            }
            done.withLock { $0 = true }
        }
        var isDone = false
        for _ in 0..<1_000 where !isDone {
            try await Task.sleep(for: .milliseconds(10))
            isDone = done.withLock(\.self)
        }
        #expect(isDone)
        if isDone { try await task.value }
    }

    @Test func `an observer of one merged object reads the new values of all of them`() throws {
        let graph = try Graph()
        try inObservableContext(graph) { context in
            let people = try ["Anna", "Bert"].map { try context.person($0, age: 1) }
            try context.save()
            try graph.inContext { other throws in
                for person in try other.people() { person.age = 2 }
                try other.save()
            }
            nonisolated(unsafe) let observed = people
            nonisolated(unsafe) var ages: [[Int64]] = []
            for person in people {
                withObservationTracking {
                    _ = person.age
                } onChange: {
                    ages.append(observed.map(\.age))
                }
            }
            try context.mergeChanges(from: ObjectIDChanges(updated: people.map(\.objectID)))
            #expect(ages == [[2, 2], [2, 2]])
        }
    }

    @Test func `an observer of a derived value also reads those of other objects`() throws {
        try Press().inContext { context throws in
            context.isObservable = true
            let publishers = [try context.publisher("A"), try context.publisher("B")]
            for publisher in publishers { try context.article(of: publisher) }
            try context.save()
            nonisolated(unsafe) let observed = publishers
            nonisolated(unsafe) var counts: [[Int64?]] = []
            for publisher in publishers {
                try context.article(of: publisher)
                withObservationTracking {
                    _ = publisher.articleCount
                } onChange: {
                    counts.append(observed.map(\.articleCount))
                }
            }
            try context.save()
            #expect(counts == [[2, 2], [2, 2]])
        }
    }

    @Test func `a relationship that is read when its change is reported follows the next change`()
        throws
    {
        let graph = try Graph()
        try inObservableContext(graph) { context in
            let boss = try context.person("Boss")
            try context.save()
            #expect(boss.reports.isEmpty)
            nonisolated(unsafe) let observed = boss
            for count in 1...3 {
                nonisolated(unsafe) var told: Int?
                withObservationTracking {
                    _ = boss.reports.count
                } onChange: {
                    told = observed.reports.count
                }
                let id: ManagedObjectID = try graph.inContext { other throws in
                    let boss = try other.people("firstName == 'Boss'")[0]
                    let report = try other.person("R\(count)", boss: boss)
                    try other.save()
                    return report.objectID
                }
                try context.mergeChanges(from: ObjectIDChanges(inserted: [id]))
                #expect(told == count && boss.reports.count == count)
            }
        }
    }
}
