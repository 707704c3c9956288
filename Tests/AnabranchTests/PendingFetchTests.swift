import Anabranch
import Foundation
import TestSupport
import Testing

extension ManagedObjectContext {
    /// Returns the first names of the people that a format finds, in each way of asking.
    fileprivate func names(_ format: String) throws -> [String] {
        var request = FetchRequest<Person>()
        request.predicate = try FetchPredicate(format)
        request.sorts = [FetchSort("firstName")]
        let ids = try objectIDs(for: request)
        let count = try count(for: request)
        let people = try fetch(request)
        #expect(ids == people.map(\.objectID) && count == people.count, "\(format)")
        return people.compactMap(\.firstName)
    }

    fileprivate func deleteAndProcess(_ ids: ManagedObjectID...) {
        for id in ids { delete(object(with: id)) }
        processPendingChanges()
    }
}

/// How much a context has read of the objects that a deletion affects.
enum Acquaintance: CaseIterable, Sendable { case unknown, fault, realised }

/// Fetches with pending deletions that affect objects without changes of their own.
@Suite struct `Fetching with pending deletions` {
    @Test(arguments: Acquaintance.allCases)
    func `an object that refers to a deleted one is found as one with an empty reference`(
        _ acquaintance: Acquaintance
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss", age: 50)
            let ids = (boss.objectID, try context.person("Anna", boss: boss).objectID)
            try context.save()
            context.reset()
            let held: ManagedObject? =
                switch acquaintance {
                case .unknown: nil
                case .fault: context.object(with: ids.1)
                case .realised: try context.existingObject(with: ids.1)
                }
            context.deleteAndProcess(ids.0)
            #expect(try context.names("boss == nil") == ["Anna"])
            #expect(try context.names("boss != nil") == [])
            #expect(try context.names("boss.age == 50") == [])
            #expect(try context.names("boss.age == nil AND firstName == 'Anna'") == ["Anna"])
            context.rollback()
            #expect(try context.names("boss == nil") == ["Boss"])
            #expect(try context.names("boss.age == 50") == ["Anna"])
            withExtendedLifetime(held) {}
        }
    }

    @Test(arguments: Acquaintance.allCases)
    func `an object with deleted members is found as one without them`(
        _ acquaintance: Acquaintance
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let report = try context.person("Anna", age: 1, boss: boss)
            let friend = try context.person("Zoe", age: 1)
            boss.friends.insert(friend)
            let group = try context.insert(Group.self)
            group.title = "Club"
            group.members.insert(boss)
            let passport = try context.insert(Passport.self)
            passport.holder = boss
            try context.save()
            let ids = [report, friend, group, passport].map(\.objectID)
            let bossID = boss.objectID
            context.reset()
            let held: ManagedObject? =
                switch acquaintance {
                case .unknown: nil
                case .fault: context.object(with: bossID)
                case .realised: try context.existingObject(with: bossID)
                }
            for id in ids { context.delete(context.object(with: id)) }
            context.processPendingChanges()
            for format in [
                "ANY reports.age > 0", "ANY groups.title != nil", "groups.@count > 0",
                "SUBQUERY(friends, $f, $f.age > 0).@count > 0", "passport != nil",
                "ANY reports.age > 0 OR age > 5",
            ] {
                #expect(try context.names(format) == [], "\(format)")
            }
            for format in [
                "NONE reports.age > 0", "ALL groups.title == nil", "groups.@count == 0",
                "friends.@count == 0", "passport == nil", "NOT (reports.@count > 0)",
            ] {
                #expect(try context.names(format) == ["Boss"], "\(format)")
            }
            try context.save()
            #expect(try context.names("NONE reports.age > 0") == ["Boss"])
            withExtendedLifetime(held) {}
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `an object with a list of deleted members is found as one without them`(_ owner: ListOwner)
        throws
    {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let id = try owner.insert("a", context)[0].objectID
            context.reset()
            context.deleteAndProcess(id)
            for (format, count) in [("ANY songs.name == 'a'", 0), ("songs.@count == 0", 1)] {
                var request = FetchRequest<ManagedObject>(entityName: owner.rawValue)
                request.predicate = try FetchPredicate(format)
                #expect(try context.count(for: request) == count, "\(format)")
                #expect(try context.fetch(request).count == count, "\(format)")
            }
        }
    }

    @Test func `a path over several objects ends at a deleted one`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let carl = try context.person("Carl", age: 3)
            let bert = try context.person("Bert", age: 2, boss: carl)
            let anna = try context.person("Anna", age: 1, boss: bert)
            let ids = (anna: anna.objectID, carl: carl.objectID)
            try context.save()
            context.reset()
            #expect(try context.names("boss.boss.age == 3") == ["Anna"])
            context.deleteAndProcess(ids.carl)
            #expect(try context.names("boss.boss.age == 3") == [])
            #expect(try context.names("boss.boss == nil") == ["Anna", "Bert"])
            context.rollback()
            #expect(try context.names("ANY reports.reports.age == 1") == ["Carl"])
            context.deleteAndProcess(ids.anna)
            #expect(try context.names("ANY reports.reports.age == 1") == [])
            let nested = "SUBQUERY(reports, $r, $r.reports.@count == 0).@count > 0"
            #expect(try context.names(nested) == ["Carl"])
        }
    }

    @Test func `an object sorted by a deleted one is sorted like one without it`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            var bosses: [ManagedObjectID] = []
            for (name, age) in [("A", 3), ("B", 1), ("C", 2)] as [(String, Int64)] {
                let boss = try context.person("Boss \(name)", age: age)
                try context.person(name, boss: boss)
                bosses.append(boss.objectID)
            }
            try context.save()
            context.reset()
            context.deleteAndProcess(bosses[0])
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("age == 0")
            request.sorts = [FetchSort("boss.age")]
            #expect(try context.fetch(request).map(\.firstName) == ["A", "B", "C"])
            request.fetchLimit = 1
            request.fetchOffset = 1
            request.includesPropertyValues = false
            #expect(try context.fetch(request).map(\.firstName) == ["B"])
        }
    }

    @Test func `a child sees its own deletions and its parent's alike`() throws {
        try Graph.family { _, parent, child in
            let boss = try parent.person("Boss")
            try parent.person("Bert", boss: boss)
            let other = try parent.person("Other")
            try parent.person("Carl", boss: other)
            try parent.save()
            let ids = (boss.objectID, other.objectID)
            parent.reset()
            child.deleteAndProcess(ids.0)
            #expect(try child.names("boss != nil") == ["Carl"])
            #expect(try parent.names("boss != nil") == ["Bert", "Carl"])
            parent.deleteAndProcess(ids.1)
            #expect(try child.names("boss != nil") == [])
            #expect(try parent.names("boss != nil") == ["Bert"])
        }
    }

    @Test(arguments: [false, true])
    func `a deletion that the save may deny changes no reference before`(isEdited: Bool) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            try company.setValue("Co", forKey: "name")
            try context.person("Anna").company = company
            try context.save()
            let id = company.objectID
            context.reset()
            context.deleteAndProcess(id)
            let anna = try context.people()[0]
            if isEdited { anna.age = 7 }
            #expect(anna.company?.objectID == id)
            #expect(try context.names("company != nil") == ["Anna"])
            #expect(try context.names("company.name == 'Co'") == ["Anna"])
            #expect(throws: ValidationError.self) { try context.save() }
            context.delete(anna)
            try context.save()
            #expect(try context.people().isEmpty)
        }
    }

    @Test
    func `an object matched in memory is refreshed if the request asks for that and it exists`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let people = try ["Anna", "Bert"].map { try context.person($0, boss: boss) }
            let ids = people.map(\.objectID)
            try context.save()
            let bossID = boss.objectID
            context.reset()
            context.deleteAndProcess(bossID)
            let held = try ids.map { try context.existingObject(with: $0) }
            #expect(held.filter(\.hasChanges).isEmpty)
            try graph.inContext { other throws in
                try other.people("firstName == 'Anna'")[0].age = 7
                other.delete(try other.people("firstName == 'Bert'")[0])
                try other.save()
            }
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("boss == nil")
            #expect(try context.fetch(request).map(\.age) == [0])
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request).map(\.age) == [7])
            withExtendedLifetime(held) {}
        }
    }

    @Test func `the number of reads is the same for few and many affected objects`()
        throws
    {
        func reads(deleting count: Int) throws -> Int {
            let graph = try Graph()
            return try graph.inContext { context throws in
                for index in 0..<count {
                    let group = try context.insert(Group.self)
                    group.title = "\(index)"
                    group.members.insert(try context.person("\(index)"))
                }
                try context.save()
                context.reset()
                for group in try context.fetch(FetchRequest<Group>()) { context.delete(group) }
                context.processPendingChanges()
                var request = FetchRequest<Person>()
                request.predicate = try FetchPredicate("age >= 0")
                var before = graph.readStatements
                #expect(try context.count(for: request) == count)
                #expect(graph.readStatements == before + 1)
                request.predicate = try FetchPredicate("ANY groups.title != nil")
                before = graph.readStatements
                #expect(try context.count(for: request) == 0)
                return graph.readStatements - before
            }
        }
        #expect(try reads(deleting: 2) == reads(deleting: 40))
    }

    @Test(arguments: TestLength.seeds(48))
    func `a fetch finds what the objects show, whatever is deleted and registered`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let graph = try Graph()
        try graph.inContext { context throws in
            let ids = try randomPeople(in: context, &random)
            context.reset()
            let held = try ids.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map {
                try context.existingObject(with: $0)
            }
            for id in ids where Int.random(in: 0..<4, using: &random) == 0 {
                context.delete(context.object(with: id))
            }
            context.processPendingChanges()
            for format in [
                "boss == nil", "boss.boss.age > 4", "boss.boss == nil AND boss != nil",
                "ANY reports.age > 4", "ALL friends.age > 2", "friends.@count == 1",
                "ANY reports.friends.age > 6", "SUBQUERY(friends, $f, $f.boss == nil).@count > 0",
                "NONE groups.title == '1'", "ANY boss.groups.title != nil",
            ] {
                let found = try context.names(format)
                let predicate = try FetchPredicate(format).resolved(
                    for: try #require(context.model.entity(named: "Person")))
                let expected = try context.people().filter { try predicate.evaluate(with: $0) }
                #expect(found == expected.compactMap(\.firstName), "\(format)")
            }
            withExtendedLifetime(held) {}
        }
    }

    /// Saves people with random bosses, friends and groups.
    ///
    /// - Returns: The IDs of all objects.
    private func randomPeople(
        in context: ManagedObjectContext, _ random: inout SeededGenerator
    ) throws -> [ManagedObjectID] {
        let groups = try (0..<3).map { index in
            let group = try context.insert(Group.self)
            group.title = "\(index)"
            return group
        }
        let people = try (0..<10).map { try context.person("\($0)", age: Int64($0)) }
        for person in people {
            if Bool.random(using: &random) { person.boss = people.randomElement(using: &random) }
            for other in people where Int.random(in: 0..<5, using: &random) == 0 {
                person.friends.insert(other)
            }
            for group in groups where Int.random(in: 0..<3, using: &random) == 0 {
                person.groups.insert(group)
            }
        }
        try context.save()
        return people.map(\.objectID) + groups.map(\.objectID)
    }

    @Test func `an edit decides which owner is found, not the owner of a concurrent save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try ["X", "Y", "Z"].map { try context.person($0) }
            let doc = try context.person("doc", age: 9, boss: people[0])
            try context.save()
            doc.boss = people[2]
            let changes: ObjectIDChanges? = try graph.inContext { other throws in
                let log = NotificationLog(ManagedObjectContext.didSave, of: other)
                try other.people("age == 9")[0].boss = other.people("firstName == 'Y'")[0]
                try other.save()
                return log.all.last
            }
            try context.mergeChanges(from: try #require(changes))
            context.processPendingChanges()
            #expect(people.map(\.reports.count) == [0, 0, 1])
            #expect(try context.names("ANY reports.age == 9") == ["Z"])
            #expect(try context.names("reports.@count == 0 AND age == 0") == ["X", "Y"])
        }
    }
}

/// The ways to ask a context for objects.
enum Question: CaseIterable, Sendable {
    case count, countByPredicate, fetch, fetchByPredicate, fetchSorted, objectIDs

    func answer(_ context: ManagedObjectContext) throws -> Int {
        var request = FetchRequest<Person>()
        switch self {
        case .count: return try context.count(for: request)
        case .countByPredicate:
            request.predicate = try FetchPredicate("age >= 0")
            return try context.count(for: request)
        case .fetch: return try context.fetch(request).count
        case .fetchByPredicate:
            request.predicate = try FetchPredicate("age >= 0")
            return try context.fetch(request).count
        case .fetchSorted:
            request.sorts = [FetchSort("firstName")]
            return try context.fetch(request).count
        case .objectIDs: return try context.objectIDs(for: request).count
        }
    }
}

/// Fetches after the row of an object was deleted that was changed without being read.
@Suite struct `Fetching with changes of deleted objects` {
    /// - Parameters:
    ///   - context: Receives a report of a boss that is a fault. Then `delete` deletes the boss
    ///     elsewhere.
    private func withGoneBoss(
        of bossID: ManagedObjectID, in context: ManagedObjectContext,
        _ delete: () throws -> Void, _ body: (_ boss: Person) throws -> Void
    ) throws {
        let boss = try #require(context.object(with: bossID, as: Person.self))
        try #require(try context.people("firstName == 'Anna'").first).boss = boss
        #expect(boss.isFault && boss.isUpdated)
        try delete()
        try body(boss)
    }

    private func bossID(_ graph: Graph) throws -> ManagedObjectID {
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.person("Anna")
            try context.save()
            return boss.objectID
        }
    }

    private func delete(_ id: ManagedObjectID, _ context: ManagedObjectContext) throws {
        context.delete(context.object(with: id))
        try context.save()
    }

    @Test(arguments: Question.allCases)
    func `it becomes deleted and is not found`(_ question: Question) throws {
        let graph = try Graph()
        let id = try bossID(graph)
        try graph.inContext { context throws in
            try withGoneBoss(of: id, in: context) {
                try graph.inContext { try delete(id, $0) }
            } _: { boss throws in
                #expect(try question.answer(context) == 1)
                #expect(boss.isDeleted && boss.managedObjectContext == nil)
                #expect(try context.names("boss.age != nil") == [])
                #expect(try question.answer(context) == 1)
            }
        }
    }

    @Test(arguments: Question.allCases)
    func `an object that the parent has deleted is not found in a child either`(
        _ question: Question
    ) throws {
        try Graph.family { _, parent, child in
            let boss = try parent.person("Boss")
            try parent.save()
            let id = boss.objectID
            try withGoneBoss(of: id, in: child) {
                try delete(id, parent)
            } _: { boss throws in
                #expect(try question.answer(child) == 1)
                #expect(boss.isDeleted)
            }
        }
    }

    @Test(arguments: Question.allCases)
    func `it stays a fault and is an error where it may not become deleted`(
        _ question: Question
    ) throws {
        let graph = try Graph()
        let id = try bossID(graph)
        try graph.inContext { context throws in
            context.shouldDeleteInaccessibleFaults = false
            try withGoneBoss(of: id, in: context) {
                try graph.inContext { try delete(id, $0) }
            } _: { boss throws in
                let error = #expect(throws: PropertyError.self) { try question.answer(context) }
                #expect(error?.code == .inaccessible && error?.objectID == id)
                #expect(boss.isFault && !boss.isDeleted)
                context.shouldHandleInaccessibleFault = { $0 === boss }
                #expect(try question.answer(context) == 1)
                #expect(boss.isDeleted)
            }
        }
    }

    @Test func `the object of the record's own entity is found, not one of a wrong entity`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let employee = try context.insert(Employee.self)
            employee.firstName = "Bert"
            try context.person("Anna")
            try context.save()
            let recordID = try employee.objectID.recordID
            context.reset()
            let person = try #require(context.model.entity(named: "Person"))
            let wrong = try #require(
                try graph.coordinator.managedObjectID(for: recordID, entity: person))
            try withGoneBoss(of: wrong, in: context) {
            } _: { impostor throws in
                #expect(try context.names("age >= 0") == ["Anna", "Bert"])
                #expect(impostor.isDeleted && impostor.managedObjectContext == nil)
                #expect(try context.fetch(FetchRequest<Employee>()).map(\.firstName) == ["Bert"])
            }
        }
    }
}
