import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// Tests of a to-one that is its own inverse: two objects refer to each other, or neither does.
@Suite struct `A relationship that is its own inverse` {
    private func container(
        _ deleteRule: DeleteRule = .nullify, optional: Bool = true
    ) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration(
                    "spouse", to: "Person", optional: optional, inverse: "spouse",
                    deleteRule: deleteRule)
            }
        }
        let container = PersistentContainer(
            model: model, classes: [], storeDescription: .inMemory(named: UUID().uuidString))
        try container.load()
        return container
    }

    /// Runs a block in a context with saved people.
    private func withPeople(
        _ count: Int = 4, _ deleteRule: DeleteRule = .nullify,
        _ body: (PersistentContainer, ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws {
        let container = try container(deleteRule)
        try container.newBackgroundContext().performAndWait { context throws in
            let people = try (0..<count).map { try context.made("\($0)", "Person") }
            try context.save()
            try body(container, context, people)
        }
    }

    private func elsewhere(
        _ container: PersistentContainer, _ context: ManagedObjectContext,
        _ body: (ManagedObjectContext, (Int) throws -> ManagedObject) throws -> Void
    ) throws -> ObjectIDChanges {
        try container.newBackgroundContext().performAndWait { other throws in
            let log = NotificationLog(ManagedObjectContext.didSave, of: other)
            try body(other) { place in try #require(try other.find("\(place)", "Person")) }
            try other.save()
            return log.all.last ?? ObjectIDChanges()
        }
    }

    /// The names of the spouses, each checked from both ends.
    private func spouses(_ people: [ManagedObject]) throws -> [String] {
        try people.map { person in
            guard let spouse = try person.object(forKey: "spouse") else { return "-" }
            #expect(try spouse.object(forKey: "spouse") === person)
            return spouse["name"].textOrEmpty
        }
    }

    @Test func `both ends are set, and former partners have none`() throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            try people[2].relate("spouse", to: people[3])
            #expect(try spouses(people) == ["1", "0", "3", "2"])
            #expect(context.updatedObjects == Set(people))
            try context.save()
            try people[1].relate("spouse", to: people[2])
            #expect(try spouses(people) == ["-", "2", "1", "-"])
            #expect(context.updatedObjects == Set(people))
            try people[1].relate("spouse", to: people[1])
            #expect(try spouses(people) == ["-", "1", "-", "-"])
            try people[1].relate("spouse", to: nil)
            #expect(try spouses(people) == ["-", "-", "-", "-"])
            context.rollback()
            #expect(try spouses(people) == ["1", "0", "3", "2"] && !context.hasChanges)
        }
    }

    @Test func `one save writes all ends under one stamp`() throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            try people[1].relate("spouse", to: people[2])
            try context.save()
            let history = try container.coordinator.history()
            let saved = try #require(history.last)
            #expect(Set(saved.changes.map(\.objectID)) == Set(people[0..<3].map(\.objectID)))
            context.reset()
            let again = try (0..<4).map {
                try #require(try context.find("\($0)", "Person"))
            }
            #expect(try spouses(again) == ["-", "2", "1", "-"])
        }
    }

    @Test func `a partner that is not registered loses its reference too`() throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            context.reset()
            let first = try #require(try context.find("0", "Person"))
            try first.relate("spouse", to: try context.find("2", "Person"))
            try context.save()
            context.reset()
            let again = try (0..<4).map {
                try #require(try context.find("\($0)", "Person"))
            }
            #expect(try spouses(again) == ["2", "-", "0", "-"])
        }
    }

    @Test func `an unsaved pair hides what another context has saved of one of them`() throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            let changes = try elsewhere(container, context) { _, person in
                try person(1).relate("spouse", to: person(2))
            }
            try context.mergeChanges(from: changes)
            #expect(try spouses(people) == ["1", "0", "-", "-"])
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try spouses(people) == ["1", "0", "-", "-"])
            try container.newBackgroundContext().performAndWait { other throws in
                #expect(try other.find("2", "Person")?.object(forKey: "spouse") == nil)
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.predicate = try FetchPredicate("spouse == nil")
                #expect(try other.count(for: request) == 2)
            }
        }
    }

    @Test(arguments: [true, false])
    func `a rollback shows what another context has saved meanwhile`(isMerged: Bool) throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            let changes = try elsewhere(container, context) { _, person in
                try person(1).relate("spouse", to: person(2))
            }
            if isMerged { try context.mergeChanges(from: changes) }
            context.rollback()
            if !isMerged { try context.mergeChanges(from: changes) }
            #expect(try spouses(people) == ["-", "2", "1", "-"] && !context.hasChanges)
        }
    }

    @Test(
        arguments: [
            .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ] as [StandardMergePolicy])
    func `both ends agree after a conflict under every policy`(policy: StandardMergePolicy) throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            try people[1].relate("spouse", to: people[3])
            let changes = try elsewhere(container, context) { _, person in
                try person(1).relate("spouse", to: person(2))
            }
            context.mergePolicy = policy
            try context.save()
            try context.mergeChanges(from: changes)
            let shown = try spouses(people)
            #expect(!context.hasChanges)
            try context.refreshAllObjects()
            #expect(try spouses(people) == shown)
            try container.newBackgroundContext().performAndWait { other throws in
                let others = try (0..<4).map {
                    try #require(try other.find("\($0)", "Person"))
                }
                #expect(try spouses(others) == shown)
            }
        }
    }

    @Test func `a deletion leaves the partner without one, and an undo restores the pair`() throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            context.undoManager = UndoStack()
            context.delete(people[1])
            context.processPendingChanges()
            #expect(try people[0].object(forKey: "spouse") == nil)
            context.undo()
            #expect(try spouses(people) == ["1", "0", "-", "-"] && !context.hasChanges)
            context.redo()
            try context.save()
            #expect(try people[0].object(forKey: "spouse") == nil)
            let deleted = try elsewhere(container, context) { other, person in
                #expect(try person(0).object(forKey: "spouse") == nil)
                try person(0).relate("spouse", to: person(2))
            }
            try context.mergeChanges(from: deleted)
            #expect(try people[0].object(forKey: "spouse") === people[2])
        }
    }

    @Test(arguments: [1, 0])
    func `another context's deletion reaches the partner`(limit: Int) throws {
        try withPeople { container, context, people in
            // With a limit of 0 the store says which objects refer to a deleted one.
            if limit == 0 { context.searchLimits = SearchLimits(always: 0, each: 0) }
            try people[0].relate("spouse", to: people[1])
            try context.save()
            let id = people[1].objectID
            try context.refresh(people[1], mergeChanges: false)
            let changes = try elsewhere(container, context) { other, person in
                other.delete(try person(1))
            }
            #expect(Array(changes.deleted) == [id])
            try context.mergeChanges(from: changes)
            #expect(try people[0].object(forKey: "spouse") == nil && !people[0].hasChanges)
        }
    }

    @Test func `the rule cascade takes the partner, and deny keeps the pair`() throws {
        try withPeople(2, .cascade) { _, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            context.delete(people[1])
            context.processPendingChanges()
            #expect(people[0].isDeleted)
            try context.save()
        }
        try withPeople(2, .deny) { _, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            context.delete(people[1])
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .deniedDelete)
            context.delete(people[0])
            try context.save()
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 0)
        }
    }

    @Test func `a mandatory partner is demanded at both ends`() throws {
        let container = try container(optional: false)
        try container.newBackgroundContext().performAndWait { context throws in
            let people = try (0..<3).map { try context.made("\($0)", "Person") }
            try people[0].relate("spouse", to: people[1])
            try people[2].relate("spouse", to: people[2])
            try context.save()
            try people[2].relate("spouse", to: people[0])
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missingMandatoryProperty)
            #expect(error?.objectID == people[1].objectID)
        }
    }

    @Test func `a child's save pairs the parent's objects`() throws {
        try withPeople { container, parent, people in
            try people[0].relate("spouse", to: people[1])
            let child = parent.newChildContext()
            let below = people.map { child.object(with: $0.objectID) }
            #expect(try below[1].object(forKey: "spouse") === below[0])
            try below[1].relate("spouse", to: below[2])
            try people[2].relate("spouse", to: people[3])
            try child.save()
            #expect(try spouses(people) == ["-", "2", "1", "-"])
            try parent.save()
            child.reset()
            let again = people.map { child.object(with: $0.objectID) }
            #expect(try spouses(again) == ["-", "2", "1", "-"])
        }
    }

    @Test func `a refresh drops an unsaved pair at both ends`() throws {
        try withPeople { container, context, people in
            try people[0].relate("spouse", to: people[1])
            try context.save()
            try people[1].relate("spouse", to: people[2])
            try context.refresh(people[1], mergeChanges: false)
            #expect(try spouses(people) == ["1", "0", "-", "-"])
            try people[2].relate("spouse", to: people[3])
            try context.refresh(people[2], mergeChanges: false)
            #expect(try spouses(people) == ["1", "0", "-", "-"])
        }
    }

    @Test func `the later of two pairs shows everywhere, and the journal restores the other one`()
        throws
    {
        let scenario = try ViewScenario(
            ManagedObjectModel {
                EntityDeclaration("Person") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("spouse", to: "Person", inverse: "spouse")
                }
            })
        let names = ["Anna", "Bob", "Cleo"]
        func expect(_ pairs: [String?]) throws {
            for container in [scenario.first, scenario.second] {
                try scenario.read(container) { context in
                    let people = try names.map { try context.named($0, "Person") }
                    #expect(try people.map { try $0.target("spouse") } == pairs)
                }
            }
        }
        try scenario.save(scenario.first) { context in
            for name in names { try context.make("Person", name) }
        }
        try scenario.exchange()
        for (container, other) in [(scenario.first, "Anna"), (scenario.second, "Cleo")] {
            try scenario.save(container) { context in
                let bob = try context.named("Bob", "Person")
                try bob.relate("spouse", to: try context.named(other, "Person"))
            }
        }
        try scenario.exchange()
        try expect([nil, "Cleo", "Bob"])
        let conflicts = try scenario.first.coordinator.conflicts()
        #expect(conflicts.count == 1)
        let lost = try #require(conflicts.first)
        try scenario.save(scenario.first) { context in try context.restore(lost) }
        try scenario.exchange()
        try expect(["Bob", "Anna", nil])
    }

    @Test func `predicates see unsaved pairs, and results follow a partner's name`() throws {
        try withPeople { container, context, people in
            func found(_ format: String) throws -> [String] {
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.predicate = try FetchPredicate(format)
                request.sorts = [FetchSort("name")]
                return try context.fetch(request).map { $0["name"].textOrEmpty }
            }
            try people[0].relate("spouse", to: people[1])
            #expect(try found("spouse.name == '1'") == ["0"])
            #expect(try found("spouse == nil") == ["2", "3"])
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Person")
            request.predicate = try FetchPredicate("spouse.name BEGINSWITH 'x'")
            request.sorts = [FetchSort("spouse.name")]
            let results = FetchedResultsController(fetchRequest: request, context: context)
            let log = ResultsLog<ManagedObject>()
            results.delegate = log
            try results.performFetch()
            people[1]["name"] = "x"
            context.processPendingChanges()
            #expect(results.fetchedObjects.map(Array.init) == [people[0]])
            try people[1].relate("spouse", to: people[2])
            context.processPendingChanges()
            #expect(results.fetchedObjects.map(Array.init) == [people[2]])
            try context.save()
            #expect(try found("spouse.spouse.name == 'x'") == ["x"])
            let changes = try elsewhere(container, context) { _, person in
                try person(3).relate("spouse", to: person(2))
            }
            try context.mergeChanges(from: changes)
            #expect(results.fetchedObjects?.isEmpty == true)
            withExtendedLifetime(log) {}
        }
    }
}
