import Anabranch
import AnabranchStore
import Foundation
import Testing

@Suite struct `Identity` {
    @Test func `a row is one object in a context and another in another context`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            let fetched = try #require(try context.people().first)
            #expect(fetched === anna)
            #expect(context.object(with: anna.objectID) === anna)
            #expect(context.registeredObject(for: anna.objectID) === anna)
            let id = anna.objectID
            try graph.inContext { other throws in
                #expect(other.registeredObject(for: id) == nil)
                let copy = try other.existingObject(with: id)
                #expect(copy.objectID == id && copy !== anna)
                #expect(!copy.isFault)
            }
        }
    }

    @Test func `an object of an ID needs no read until it is used`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            return anna.objectID
        }
        try graph.inContext { context throws in
            let before = graph.readStatements
            let anna = try #require(context.object(with: id) as? Person)
            #expect(anna.isFault && graph.readStatements == before)
            #expect(anna.firstName == "Anna")
            #expect(graph.readStatements == before + 1)
        }
    }

    @Test func `faults of one entity are fired by one read`() throws {
        let graph = try Graph()
        let ids = try graph.inContext { context throws in
            let people = try (0..<50).map { try context.person("\($0)", age: Int64($0)) }
            try context.save()
            return people.map(\.objectID)
        }
        try graph.inContext { context throws in
            let people = ids.compactMap { context.object(with: $0) as? Person }
            let before = graph.readStatements
            #expect(people.map(\.age) == (0..<50).map { Int64($0) })
            #expect(graph.readStatements == before + 1)
        }
    }

    @Test func `an object that is not there is an error or turns out deleted`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            let id = anna.objectID
            context.delete(anna)
            try context.save()
            #expect(!anna.isDeleted && anna.managedObjectContext == nil)
            let error = #expect(throws: PropertyError.self) {
                try context.existingObject(with: id)
            }
            #expect(error?.code == .inaccessible && error?.objectID == id)
            let fault = try #require(context.object(with: id) as? Person)
            #expect(fault.firstName == nil)
            #expect(fault.isDeleted && fault.managedObjectContext == nil)
        }
    }

    @Test func `only changed objects are kept when nobody holds them`() throws {
        let graph = try Graph()
        let context = graph.context()
        try context.performAndWait { context in
            for number in 0..<20 { try context.person("\(number)") }
            try context.save()
            for person in try context.people() { _ = person.firstName }
            try context.people().first?.age = 1
        }
        try context.performAndWait { context in
            #expect(context.registeredObjects.count == 1)
            #expect(context.registeredObjects == context.updatedObjects)
            try context.save()
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test func `an object that nobody holds comes back with what the store has now`() throws {
        let graph = try Graph()
        let context = graph.context()
        try context.performAndWait { context in
            try context.person("Anna", age: 1)
            try context.save()
            #expect(try context.people().first?.age == 1)
            try graph.inContext { other throws in
                try other.people().first?.age = 2
                try other.save()
            }
            #expect(try context.people().first?.age == 2)
        }
    }

    @Test func `a URI names the same object after the file is opened anew`() throws {
        let directory = try Graph(.file).directory
        let uri = try Graph.open(directory, .file).newBackgroundContext().performAndWait {
            context in
            let employee = try context.insert(Employee.self)
            employee.firstName = "Anna"
            try context.save()
            return try employee.objectID.uriRepresentation
        }
        #expect(uri.scheme == "anabranch" && uri.pathComponents[1] == "Employee")
        let container = try Graph.open(directory, .file)
        let id = try #require(
            try container.coordinator.managedObjectID(forURIRepresentation: uri))
        let name = try container.newBackgroundContext().performAndWait { context in
            (try context.existingObject(with: id) as? Employee)?.firstName
        }
        #expect(name == "Anna")
        let foreign = try #require(
            URL(string: "anabranch://0123456789abcdef0123456789abcdef/Person/1"))
        #expect(try container.coordinator.managedObjectID(forURIRepresentation: foreign) == nil)
        let other = try #require(URL(string: "x-coredata://ABC/Person/p1"))
        #expect(try container.coordinator.managedObjectID(forURIRepresentation: other) == nil)
    }

    @Test func `an ID of another store is refused`() throws {
        let graph = try Graph()
        let id = try graph.inContext { try $0.insert(Group.self).objectID }
        let other = try Graph()
        try other.inContext { context throws in
            #expect(context.registeredObject(for: id) == nil)
            #expect(throws: PropertyError.self) { try context.existingObject(with: id) }
        }
    }

    @Test func `an object of another store's ID is there as a deleted one, and the save tells`()
        throws
    {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            try context.save()
            return anna.objectID
        }
        let other = try Graph()
        try other.inContext { context throws in
            let bob = try context.person("Bob")
            let anna = try #require(context.object(with: id) as? Person)
            #expect(anna.objectID == id && anna.isDeleted && anna.managedObjectContext == nil)
            #expect(anna.age == 0 && anna.firstName == nil && anna.boss == nil)
            #expect(anna.reports.isEmpty && context.registeredObjects == [bob])
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .foreignObject && error?.objectID == id)
            anna.age = 4
            bob.boss = anna
            #expect(anna.age == 0 && bob.boss == nil)
            #expect(throws: PropertyError.self) { try context.save() }
            try context.save()
            #expect(try context.people() == [bob])
        }
    }

    @Test func `objects made before the file took a new replica ID are renamed by the save`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.save()
            let anna = try context.person("Anna", boss: boss)
            let group = try context.insert(Group.self)
            group.members.insert(anna)
            let before = anna.objectID
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try graph.coordinator.store.renewIdentity()
            try context.save()
            #expect(anna.objectID != before)
            #expect(log.all.first?.renamed[before] == anna.objectID)
            #expect(context.object(with: anna.objectID) === anna)
            #expect(boss.reports.objects == [anna] && group.members.objects == [anna])
            let id = anna.objectID
            try graph.inContext { other throws in
                let copy = try #require(try other.existingObject(with: id) as? Person)
                #expect(copy.boss?.firstName == "Boss" && copy.groups.count == 1)
            }
            let later = try context.person("Later")
            let named = later.objectID
            try context.save()
            #expect(later.objectID == named)
        }
    }
}
