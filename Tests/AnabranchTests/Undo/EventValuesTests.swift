import Anabranch
import Foundation
import Testing

@Suite struct `Values from before the present event` {
    @Test func `they are of what was written since changes were last processed`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            #expect(try anna.changedValuesForCurrentEvent().isEmpty)
            anna.age = 2
            anna.age = 3
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 1])
            context.processPendingChanges()
            #expect(try anna.changedValuesForCurrentEvent().isEmpty)
            anna.age = 4
            anna.mood = "good"
            anna.firstName = "Anna"
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 3, "mood": .null])
            #expect(try anna.changedValues()["age"] == 4)
            #expect(try anna.committedValues(forKeys: ["age"]) == ["age": 1])
            try context.save()
            #expect(try anna.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test func `objects that are observed have them as well`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.isObservable = true
            let anna = try context.person("Anna", age: 1)
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 0, "firstName": .null])
            try context.save()
            #expect(try anna.changedValuesForCurrentEvent().isEmpty)
            anna.age = 2
            anna.age = 3
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 1])
            context.processPendingChanges()
            #expect(try anna.changedValuesForCurrentEvent().isEmpty)
            anna.age = 4
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 3])
        }
    }

    @Test func `a relationship alone has no value, a reference has its former target`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob", boss: anna)
            try context.save()
            bob.age = 1
            context.processPendingChanges()
            bob.friends.insert(anna)
            #expect(try bob.changedValuesForCurrentEvent().isEmpty)
            bob.boss = nil
            let record = try anna.objectID.recordID
            #expect(try bob.changedValuesForCurrentEvent() == ["boss": .reference(record)])
        }
    }

    @Test func `the values of a new object are the defaults`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 0, "firstName": .null])
            context.processPendingChanges()
            anna.age = 5
            #expect(try anna.changedValuesForCurrentEvent() == ["age": 3])
        }
    }

    @Test(arguments: [false, true])
    func `the observers of an event see its values`(isUndoable: Bool) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            if isUndoable { context.undoManager = UndoStack() }
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob")
            try context.save()
            let watcher = EventWatcher(context, [anna, bob])
            try context.step { anna.age = 2 }
            try context.step { anna.age = 3 }
            try context.step { anna.firstName = "Anne" }
            #expect(
                watcher.seen == [["age": 1], [:], ["age": 2], [:], ["firstName": "Anna"], [:]])
            #expect(try anna.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test func `values that are merged in the middle of an event are left out`() throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let thing = try context.thing("a")
            try context.save()
            thing["count"] = 1
            context.processPendingChanges()
            thing["count"] = 2
            let changes = try workshop.elsewhere { try $0.find("a")?.setValue(7, forKey: "x") }
            try context.mergeChanges(from: changes)
            thing["count"] = 3
            #expect(thing["x"] == 7)
            #expect(try thing.changedValuesForCurrentEvent() == ["count": 2])
        }
    }

    @Test func `the observers of a new object see its defaults`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let watcher = EventWatcher(context, [try context.person("Anna", age: 3)])
            context.processPendingChanges()
            try context.step { watcher.people[0].age = 4 }
            try context.step { watcher.people.append(try context.person("Bob")) }
            let defaults: [String: PropertyValue] = ["age": 0, "firstName": .null]
            #expect(watcher.seen == [defaults, ["age": 3], [:], ["firstName": .null]])
            #expect(try watcher.people[1].changedValuesForCurrentEvent().isEmpty)
        }
    }
}

/// Records the values that people have during the notification of an event.
private final class EventWatcher: @unchecked Sendable {
    // Both are used on the context's queue only.
    var people: [Person]
    private(set) var seen: [[String: PropertyValue]] = []
    private var token: (any NSObjectProtocol)?

    init(_ context: ManagedObjectContext, _ people: [Person]) {
        self.people = people
        token = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.objectsDidChange, object: context, queue: nil
        ) { [weak self] _ in self?.look() }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    private func look() {
        seen += people.map { (try? $0.changedValuesForCurrentEvent()) ?? [:] }
    }
}
