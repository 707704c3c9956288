import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Identity` {
    @Test func `an ID is encoded as its URI, and decoded in the store that knows it`() throws {
        let (graph, stranger) = (try Graph(), try Graph())
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            return anna.objectID
        }
        let data = try JSONEncoder().encode([id])
        #expect(
            try JSONDecoder().decode([String].self, from: data)
                == [id.uriRepresentation.absoluteString])
        #expect(try JSONDecoder().decode([ManagedObjectID].self, from: data) == [id])
        let other = try Graph.open(graph.directory)
        func message(_ decoder: JSONDecoder, _ data: Data) -> String {
            let error = #expect(throws: DecodingError.self) {
                try decoder.decode([ManagedObjectID].self, from: data)
            }
            return error.map { "\($0)" } ?? ""
        }
        #expect(message(JSONDecoder(), data).contains("2 open stores know it"))
        let decoder = JSONDecoder()
        decoder.userInfo[.persistentStoreCoordinator] = graph.coordinator
        #expect(try decoder.decode([ManagedObjectID].self, from: data) == [id])
        decoder.userInfo[.persistentStoreCoordinator] = stranger.coordinator
        #expect(message(decoder, data).contains("does not know it"))
        #expect(message(decoder, Data("[\"x\"]".utf8)).contains("not the URI"))
        other.coordinator.close()
        #expect(try JSONDecoder().decode([ManagedObjectID].self, from: data) == [id])
    }

    @Test func `an ID is decoded beside an open store that can't be read`() throws {
        let (graph, stranger) = (try Graph(.file), try Graph(.file))
        let id = try graph.inContext { try $0.person("Anna").objectID }
        try FileManager.default.removeItem(at: stranger.directory.url)
        let strangers = stranger.coordinator
        #expect(throws: StoreError.self) {
            try strangers.managedObjectID(forURIRepresentation: id.uriRepresentation)
        }
        let data = try JSONEncoder().encode([id])
        #expect(try JSONDecoder().decode([ManagedObjectID].self, from: data) == [id])
        let decoder = JSONDecoder()
        decoder.userInfo[.persistentStoreCoordinator] = strangers
        #expect(throws: StoreError.self) {
            try decoder.decode([ManagedObjectID].self, from: data)
        }
    }

    @Test func `a row is one object in a context and another in another context`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            let fetched = try #require(try context.people().first)
            #expect(try fetched === anna && context.people().first === fetched)
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

    @Test func `a registered object is looked up without a read, and no other one`() throws {
        let graph = try Graph()
        let ids = try graph.inContext { context throws in
            let people = [try context.person("Anna"), try context.person("Bob")]
            try context.save()
            return people.map(\.objectID)
        }
        try graph.inContext { context throws in
            let anna = context.object(with: ids[0])
            let new = try context.person("New")
            let before = graph.readStatements
            #expect(context.registeredObject(for: ids[0]) === anna && anna.isFault)
            #expect(context.object(with: ids[0]) === anna)
            #expect(context.registeredObject(for: new.objectID) === new)
            #expect(context.registeredObject(for: ids[1]) == nil)
            #expect(graph.readStatements == before)
        }
    }

    @Test func `an existing object is no fault, be it registered, a fault or new`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            return anna.objectID
        }
        try graph.inContext { context throws in
            let fault = context.object(with: id)
            let new = try context.person("New")
            let before = graph.readStatements
            #expect(try context.existingObject(with: new.objectID) === new)
            #expect(graph.readStatements == before && fault.isFault)
            #expect(try context.existingObject(with: id) === fault)
            #expect(!fault.isFault && graph.readStatements == before + 1)
            #expect(try context.existingObject(with: id) === fault)
            #expect(graph.readStatements == before + 1)
        }
    }

    @Test func `firing a fault reads what is in its row at once, and no relationship to many`()
        throws
    {
        let graph = try Graph()
        let (id, boss) = try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", age: 3, boss: boss)
            anna.lastName = "A"
            try context.person("Bob", boss: anna)
            try context.save()
            return (anna.objectID, boss.objectID)
        }
        try graph.inContext { context throws in
            let anna = try #require(context.object(with: id) as? Person)
            let before = graph.readStatements
            #expect(try anna.hasFault(forRelationshipNamed: "boss"))
            #expect(try anna.hasFault(forRelationshipNamed: "reports"))
            #expect(anna.isFault && graph.readStatements == before)
            #expect(anna.age == 3)
            #expect(anna.firstName == "Anna" && anna.lastName == "A" && anna.salary == nil)
            #expect(
                try anna.committedValues(forKeys: ["boss"]) == ["boss": .reference(boss.recordID)])
            #expect(anna.company == nil)
            #expect(try !anna.hasFault(forRelationshipNamed: "boss"))
            #expect(try anna.hasFault(forRelationshipNamed: "reports"))
            #expect(graph.readStatements == before + 1)
            #expect(anna.reports.count == 1)
            #expect(try !anna.hasFault(forRelationshipNamed: "reports"))
            #expect(graph.readStatements == before + 2)
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

    @Test(arguments: [false, true])
    func `an object exists until its deletion is saved, an insertion until it is deleted`(
        isFault: Bool
    ) throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            return anna.objectID
        }
        try graph.inContext { context throws in
            let anna = try #require(context.object(with: id, as: Person.self))
            #expect(isFault || anna.firstName == "Anna")
            context.delete(anna)
            #expect(try context.existingObject(with: id) === anna)
            #expect(anna.isDeleted && !anna.isFault && anna.firstName == "Anna")
            #expect(throws: PropertyError.self) {
                try context.newChildContext().existingObject(with: id)
            }
            let new = try context.person("New")
            context.delete(new)
            for isProcessed in [false, true] {
                if isProcessed { context.processPendingChanges() }
                let error = #expect(throws: PropertyError.self) {
                    try context.existingObject(with: new.objectID)
                }
                #expect(error?.code == .inaccessible)
            }
            try context.save()
            #expect(throws: PropertyError.self) { try context.existingObject(with: id) }
        }
    }

    @Test func `only changed objects stay registered without a strong reference`() throws {
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

    @Test func `holding an object does not keep its related objects in memory`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", boss: context.person("Boss"))
            anna.boss?.mood = "wild"
            try context.save()
            #expect(anna.boss?.mood == nil)
            let boss = anna.boss
            boss?.mood = "wild"
            try context.save()
            #expect(anna.boss?.mood == "wild" && anna.boss === boss)
        }
    }

    @Test(arguments: [true, false])
    func `objects to be saved or compared are kept until a save or rollback`(
        isSaved: Bool
    ) throws {
        let graph = try Graph()
        let context = graph.context()
        try context.performAndWait { context in
            for name in ["a", "b", "c", "d"] { try context.person(name) }
            try context.save()
        }
        try context.performAndWait { context in
            let people = try context.people()
            people[0].age = 1
            context.delete(people[1])
            context.detectConflicts(for: people[2])
            try context.person("new")
        }
        try context.performAndWait { context in
            let names = context.registeredObjects.compactMap { ($0 as? Person)?.firstName }
            #expect(names.sorted() == ["a", "b", "c", "new"])
            #expect(context.insertedObjects.count == 1 && context.updatedObjects.count == 1)
            #expect(context.deletedObjects.count == 1)
            if isSaved { try context.save() } else { context.rollback() }
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test func `an object that was released is read from the store again`() throws {
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

    @Test func `an ID has a URI also when its store is closed, and before it is saved`() throws {
        let graph = try Graph()
        let (saved, unsaved) = try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            return (anna.objectID, try context.person("Berta").objectID)
        }
        let uris = [saved.uriRepresentation, unsaved.uriRepresentation]
        let record = try saved.recordID
        #expect(uris[0].host == record.replica.description)
        for (uri, id) in zip(uris, [saved, unsaved]) {
            #expect(try graph.coordinator.managedObjectID(forURIRepresentation: uri) == id)
        }
        let strange = ManagedObjectID(
            origin: graph.coordinator.origin, entity: saved.entity,
            localID: LocalID(ordinal: 7, number: 3))
        #expect(throws: (any Error).self) { try strange.recordID }
        let unknown = strange.uriRepresentation
        #expect(unknown.absoluteString == "anabranch:///Person/7:3")
        #expect(try graph.coordinator.managedObjectID(forURIRepresentation: unknown) == nil)
        graph.coordinator.close()
        #expect([saved.uriRepresentation, unsaved.uriRepresentation] == uris)
        #expect(try saved.recordID == record)
        #expect(strange.uriRepresentation == unknown)
    }

    @Test func `an error does not say that what another context has inserted was deleted`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let child = context.newChildContext()
            let id = try child.person("Anna").objectID
            let error = #expect(throws: PropertyError.self) {
                try context.existingObject(with: id)
            }
            #expect(error?.code == .inaccessible && error?.objectID == id)
            #expect(error?.message.contains("inserted it and has not saved it") == true)
            let berta = try context.person("Berta")
            try context.save()
            try graph.inContext { other throws in
                other.delete(try other.existingObject(with: berta.objectID))
                try other.save()
            }
            try context.refresh(berta, mergeChanges: false)
            let deleted = #expect(throws: PropertyError.self) {
                try context.existingObject(with: berta.objectID)
            }
            #expect(deleted?.message.contains("its row was deleted from the store") == true)
        }
    }

    @Test func `a URI names the same object after the file is reopened`() throws {
        let directory = try Graph(.file).directory
        let uri = try Graph.open(directory, .file).newBackgroundContext().performAndWait {
            context in
            let employee = try context.insert(Employee.self)
            employee.firstName = "Anna"
            try context.save()
            return employee.objectID.uriRepresentation
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

    @Test func `an object with another store's ID counts as deleted, and the save reports it`()
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

    private func someRecord(
        _ graph: Graph, isEmployee: Bool
    ) throws -> (id: ManagedObjectID, by: (String) throws -> ManagedObjectID) {
        let id = try graph.inContext { context throws in
            let anna = isEmployee ? try context.insert(Employee.self) : try context.person("Anna")
            anna.firstName = "Anna"
            let boss = try context.person("Boss")
            try context.person("Zoe", boss: anna)
            anna.boss = boss
            try context.save()
            return anna.objectID
        }
        let coordinator = graph.coordinator
        return (
            id,
            { name in
                let entity = try #require(coordinator.model.entity(named: name))
                return try #require(
                    try coordinator.managedObjectID(for: id.recordID, entity: entity))
            }
        )
    }

    @Test(arguments: ["Company", "Employee", "Group"], [false, true])
    func `an ID with another entity than the record's gives no object of a wrong class`(
        entity: String, isRead: Bool
    ) throws {
        let graph = try Graph()
        let (id, by) = try someRecord(graph, isEmployee: false)
        let wrong = try by(entity)
        try graph.inContext { context throws in
            let impostor = context.object(with: wrong)
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            if isRead {
                let key = impostor.entity.attributes[0].name
                #expect(throws: PropertyError.self) { try impostor.value(forKey: key) }
                #expect(impostor.isDeleted && impostor.managedObjectContext == nil)
            }
            let people = try context.people()
            #expect(people.map(\.firstName) == ["Anna", "Boss", "Zoe"])
            #expect(people.allSatisfy { type(of: $0) == Person.self })
            #expect(people[0].objectID == id && people[0].boss === people[1])
            #expect(people[2].boss === people[0] && people[0] !== impostor)
            #expect(try context.existingObject(with: wrong) === people[0])
            #expect(impostor.isDeleted && impostor.managedObjectContext == nil)
            people[0].age = 5
            try context.save()
            if !isRead { #expect(log.all.allSatisfy { $0.deleted.isEmpty }) }
        }
        #expect(try graph.inContext { try $0.people().map(\.age) } == [5, 0, 0])
    }

    @Test func `an ID with the entity above the record's finds the object of its own class`() throws
    {
        let graph = try Graph()
        let (id, by) = try someRecord(graph, isEmployee: true)
        let wrong = try by("Person")
        try graph.inContext { context throws in
            let fault = context.object(with: wrong)
            #expect(fault is Person)
            let employee = try #require(try context.existingObject(with: wrong) as? Employee)
            #expect(employee.firstName == "Anna" && employee.objectID.entity.name == "Employee")
            #expect(fault.isDeleted && fault !== employee)
            #expect(context.object(with: wrong) === employee)
        }
        try graph.inContext { context throws in
            let fault = try #require(context.object(with: wrong, as: Person.self))
            #expect(fault.firstName == nil && fault.isDeleted)
            #expect(try context.existingObject(with: id) is Employee)
            try context.save()
        }
    }

    @Test(arguments: ["faults", "batched", "target", "set", "results"])
    func `no other way reaches an object of a wrong class`(way: String) throws {
        let graph = try Graph()
        let (_, by) = try someRecord(graph, isEmployee: false)
        let wrong = try by("Company")
        try graph.inContext { context throws in
            let zoe = try context.people("firstName == 'Zoe'")[0]
            let boss = try context.people("firstName == 'Boss'")[0]
            let impostor = context.object(with: wrong)
            var request = FetchRequest<Person>()
            request.sorts = [FetchSort("firstName")]
            let found: Person?
            switch way {
            case "faults":
                request.includesPropertyValues = false
                found = try context.fetch(request).first
            case "batched": found = try context.fetchBatched(request)[0]
            case "target": found = zoe.boss
            case "set": found = boss.reports.objects.first
            default:
                let results = FetchedResultsController(
                    fetchRequest: request, context: context)
                try results.performFetch()
                found = results.fetchedObjects?.first
            }
            #expect(found.map { type(of: $0) == Person.self } == true)
            #expect(found?.firstName == "Anna" && found !== impostor)
            #expect(impostor.isDeleted && impostor.managedObjectContext == nil)
        }
    }

    @Test(arguments: ["Company", "Employee", "Group"])
    func `deleting by an ID with a wrong entity deletes nothing`(entity: String) throws {
        let graph = try Graph()
        let (_, by) = try someRecord(graph, isEmployee: false)
        let wrong = try by(entity)
        try graph.inContext { context throws in
            let zoe = try context.people("firstName == 'Zoe'")[0]
            let impostor = context.object(with: wrong)
            context.delete(impostor)
            context.processPendingChanges()
            #expect(impostor.isDeleted && impostor.managedObjectContext == nil)
            #expect(!context.hasChanges && zoe.boss?.firstName == "Anna")
            zoe.age = 1
            try context.save()
            #expect(zoe.boss?.firstName == "Anna")
        }
        #expect(
            try graph.inContext { try $0.people().map(\.firstName) } == ["Anna", "Boss", "Zoe"])
    }

    @Test func `an insertion of a child takes the place of what its parent had by a wrong ID`()
        throws
    {
        try Graph.family { graph, parent, child in
            let bert = try child.person("Bert")
            let company = try #require(graph.coordinator.model.entity(named: "Company"))
            let wrong = try #require(
                try graph.coordinator.managedObjectID(for: bert.objectID.recordID, entity: company))
            let impostor = parent.object(with: wrong)
            try child.save()
            #expect(try parent.people().map(\.firstName) == ["Anna", "Bert"])
            #expect(impostor.managedObjectContext == nil && parent.insertedObjects.count == 1)
            try parent.save()
            #expect(try graph.firstNames() == ["Anna", "Bert"])
        }
    }
}
