import Anabranch
import AnabranchStore
import Foundation
import Testing

@Suite struct `Saving` {
    @Test func `a save is one change set with all that changed`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.transactionAuthor = "me"
            context.name = "window"
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            try context.save()
            let log = NotificationLog(
                ManagedObjectContext.willSave, ManagedObjectContext.didSave,
                ManagedObjectContext.didSaveObjectIDs, of: context)
            let cyd = try context.person("Cyd")
            anna.age = 4
            context.delete(bob)
            try context.save()
            #expect(
                log.names == [
                    ManagedObjectContext.willSave, ManagedObjectContext.didSave,
                    ManagedObjectContext.didSaveObjectIDs,
                ])
            let saved = try #require(log.all.last)
            #expect(Array(saved.inserted) == [cyd.objectID])
            #expect(Array(saved.updated) == [anna.objectID])
            #expect(Array(saved.deleted) == [bob.objectID])
            #expect(saved.author == "me")
            let history = try graph.coordinator.history()
            #expect(history.count == 2 && saved.position == history.last?.position)
        }
    }

    @Test func `a change by willSave is saved, and willSave is called again`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            anna.calls = []
            anna.onWillSave = { if $0.age < 2 { $0.age += 1 } }
            try context.save()
            #expect(anna.calls == ["will", "will", "will", "did"])
        }
        try graph.inContext { context throws in #expect(try context.people().first?.age == 2) }
    }

    @Test func `an object that another object's willSave changes is saved and gets its own call`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            try context.save()
            (anna.calls, bob.calls) = ([], [])
            anna.onWillSave = { [weak context] anna in
                if bob.age == 0 { bob.age = anna.age }
                if let context, context.insertedObjects.isEmpty { _ = try? context.person("Cyd") }
            }
            anna.age = 7
            try context.save()
            #expect(anna.calls == ["will", "did"] && bob.calls == ["will", "did"])
            #expect(!context.hasChanges)
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.firstName) == ["Anna", "Bob", "Cyd"])
            #expect(try context.people().map(\.age) == [7, 7, 0])
        }
    }

    @Test func `a willSave that never rests is an error`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            anna.onWillSave = { $0.age += 1 }
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .endlessChanges && error?.objectID == anna.objectID)
        }
    }

    @Test func `all failures come together and nothing is written`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            let department = try context.insert("Department")
            let anna = try context.person("Anna")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .multiple)
            #expect(error?.all.map(\.property) == ["name", "company"])
            #expect(error?.all.map(\.objectID) == [company.objectID, department.objectID])
            #expect(context.insertedObjects == [company, department, anna])
            try graph.inContext { context throws in #expect(try context.people().isEmpty) }
            company["name"] = "River"
            try department.setObject(company, forKey: "company")
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `a value of another type than the attribute's is refused by the save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let person = try context.insert("Person")
            person[slot: 1] = 17
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .wrongType && error?.property == "firstName")
        }
    }

    @Test func `a failed save keeps everything pending and may be repeated`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            try context.save()
            try graph.inContext { other throws in
                try other.people("firstName == 'Anna'").first?.age = 7
                try other.save()
            }
            anna.lastName = "A"
            context.delete(bob)
            let cyd = try context.person("Cyd")
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            #expect(error?.code == .mergeConflict && error?.objectIDs == [anna.objectID])
            #expect(context.updatedObjects == [anna])
            #expect(context.deletedObjects == [bob] && context.insertedObjects == [cyd])
            try context.refresh(anna, mergeChanges: true)
            #expect(anna.lastName == "A" && anna.age == 7)
            try context.save()
        }
        try graph.inContext { context throws in
            let people = try context.people()
            #expect(people.map(\.firstName) == ["Anna", "Cyd"])
            #expect(people.first?.lastName == "A" && people.first?.age == 7)
        }
    }

    @Test func `an object deleted elsewhere is a conflict of its update`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            try graph.inContext { other throws in
                other.delete(try #require(try other.people().first))
                try other.save()
            }
            anna.age = 3
            #expect(throws: SaveConflictError.self) { try context.save() }
        }
    }

    @Test func `an object may be saved again and again`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            for age in 1...5 {
                anna.age = Int64(age)
                if age == 3 { anna.lastName = "A" }
                try context.save()
            }
            let history = try graph.coordinator.history(after: .start)
            #expect(history.count == 6)
            #expect(history[3].changes.first?.updatedProperties == ["age", "lastName"])
        }
    }

    @Test func `a save without changes does nothing`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try context.save()
            #expect(log.names.isEmpty)
            #expect(try graph.coordinator.history().isEmpty)
        }
    }

    @Test func `abstract and unknown entities are refused`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let error = #expect(throws: PropertyError.self) { try context.insert("Persn") }
            #expect(error?.code == .unknownEntity && error?.entity == "Persn")
            #expect(throws: PropertyError.self) {
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Persn"))
            }
        }
    }
}
