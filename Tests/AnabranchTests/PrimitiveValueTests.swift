import Anabranch
import Foundation
import Testing

@Suite struct `Primitive values` {
    @Test func `a primitive write is no change and posts nothing`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            try context.save()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            anna.setPrimitiveValue(7, forKey: "age")
            context.processPendingChanges()
            #expect(anna.age == 7 && anna.primitiveValue(forKey: "age") == 7)
            #expect(try anna.changedValues().isEmpty && !anna.isUpdated && !context.hasChanges)
            #expect(try anna.committedValues(forKeys: ["age"]) == ["age": 3])
            #expect(log.names.isEmpty)
            try context.save()
            #expect(try graph.coordinator.history().count == 1)
        }
    }

    @Test func `it is saved with the object's other changes, also from willSave, without another`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            try context.save()
            anna.calls = []
            anna.onWillSave = { $0.setPrimitiveValue($0.age + 1, forKey: "age") }
            anna.lastName = "A"
            try context.save()
            #expect(anna.calls == ["will", "did"] && anna.age == 4)
            anna.onWillSave = { _ in }
            anna.setPrimitiveValue(50, forKey: "age")
            anna.lastName = "B"
            #expect(try anna.changedValues().keys.sorted() == ["lastName"])
            try context.save()
            let changes = try #require(try graph.coordinator.history().last).changes
            #expect(changes.first?.updatedProperties == ["age", "lastName"])
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.age) == [50])
        }
    }

    @Test func `an ordinary write afterwards is a change`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            try context.save()
            anna.setPrimitiveValue(7, forKey: "age")
            anna.lastName = "A"
            anna.age = 8
            #expect(try anna.changedValues() == ["age": 8, "lastName": "A"])
            try anna.setValue(9, forKey: "age")
            #expect(try anna.changedValues()["age"] == 9)
            anna.setPrimitiveValue(10, forKey: "age")
            #expect(try anna.changedValues()["age"] == 10, "It had changed before.")
        }
    }

    @Test func `a rollback, a refresh and a merge keep to what is saved`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            let bob = try context.person("Bob", age: 3)
            try context.save()
            anna.setPrimitiveValue(7, forKey: "age")
            bob.setPrimitiveValue(7, forKey: "age")
            bob.lastName = "B"
            context.rollback()
            #expect(anna.age == 3 && bob.age == 3 && bob.lastName == nil)
            anna.setPrimitiveValue(7, forKey: "age")
            try context.refresh(anna, mergeChanges: false)
            #expect(anna.age == 3)
            anna.age = 4
            #expect(try anna.changedValues() == ["age": 4])
        }
    }

    @Test
    func `a new object has primitive values like any object, and a transient one costs nothing`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.insert(Person.self)
            anna.setPrimitiveValue("Anna", forKey: "firstName")
            try context.save()
            anna.setPrimitiveValue("glad", forKey: "mood")
            #expect(anna.mood == "glad" && !anna.hasPersistentChangedValues)
            anna.age = 4
            anna.setPrimitiveValue("sad", forKey: "mood")
            #expect(try anna.changedValues() == ["age": 4])
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.firstName) == ["Anna"])
        }
    }

    @Test func `an accessor of one's own announces what it sets`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna", age: 3)
            try context.save()
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.people().first)
            #expect(anna.isFault && anna.primitiveValue(forKey: "age") != 3)
            anna.willAccessValue(forKey: "age")
            #expect(!anna.isFault)
            let age: Int64? = anna.primitiveValue(forKey: "age")
            anna.didAccessValue(forKey: "age")
            #expect(age == 3)
            anna.willChangeValue(forKey: "age")
            anna.setPrimitiveValue(4, forKey: "age")
            anna.didChangeValue(forKey: "age")
            #expect(anna.isUpdated)
            #expect(try anna.changedValues() == ["age": 4])
            try context.save()
            anna.setPrimitiveValue(5, forKey: "age")
            #expect(!anna.isUpdated, "The announcement is over.")
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.age) == [4])
        }
    }

    @Test func `a wrong primitive value is reported by the next save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            anna.setPrimitiveValue("old", forKey: "age")
            anna.setPrimitiveValue(3, forKey: "nothing")
            anna.willChangeValue(forKey: "boss")
            #expect(anna.primitiveValue(forKey: "friends") == .null)
            let error = #expect(throws: PropertyError.self) {
                anna.lastName = "A"
                try context.save()
            }
            #expect(
                error?.all.map(\.code) == [.wrongType, .unknownProperty, .wrongKind, .wrongKind])
            try context.save()
        }
    }
}
