import Anabranch
import Foundation
import Testing

@Suite struct `Names of sections` {
    private func fill(_ context: ManagedObjectContext) throws -> [Person] {
        try [("Ann", 10), ("Bob", 15), ("Cyd", 23), ("Dee", 31)].map {
            try context.person($0, age: Int64($1))
        }
    }

    private func decade(_ person: Person) -> String { "\(person.age / 10)0s" }

    private func controller(
        _ request: FetchRequest<Person>, in context: ManagedObjectContext,
        _ name: @escaping (Person) -> String?
    ) -> (FetchedResultsController<Person>, ResultsLog<Person>) {
        let results = FetchedResultsController(
            fetchRequest: request, context: context, sectionName: name)
        let log = ResultsLog<Person>()
        results.delegate = log
        log.results = results
        return (results, log)
    }

    @Test func `a closure groups objects, and follows their changes`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let (results, log) = controller(
                try .people(sortedBy: "age", batch: 2), in: context, decade)
            try results.performFetch()
            #expect(results.sectionNames == ["10s", "20s", "30s"])
            #expect(results.sections?.map(\.numberOfObjects) == [2, 1, 1])
            people[0].age = 24
            try context.person("Eve", age: 40)
            context.delete(people[3])
            context.processPendingChanges()
            #expect(results.sectionNames == ["10s", "20s", "40s"])
            #expect(results.sections?.map(\.numberOfObjects) == [1, 2, 1])
            #expect(results.indexPath(forObject: people[0]) == IndexPath(1, 1))
            #expect(log.calls.contains(.section(.delete, "30s", 2)))
            #expect(log.calls.contains(.section(.insert, "40s", 2)))
            try context.save()
            #expect(results.sectionNames == ["10s", "20s", "40s"])
        }
    }

    @Test func `a key path literal is a closure`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            _ = try fill(context)
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "firstName"), context: context,
                sectionName: \.firstName)
            try results.performFetch()
            #expect(results.sectionNames == ["Ann", "Bob", "Cyd", "Dee"])
            #expect(results.sectionIndexTitles == ["A", "B", "C", "D"])
        }
    }

    @Test func `a closure in another order than the first sort names two objects`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let (results, _) = controller(try .people(sortedBy: "age"), in: context) {
                $0.age % 2 == 0 ? "even" : "odd"
            }
            try results.performFetch()
            #expect(results.sectionNames == ["even", "odd"])
            let eve = try context.person("Eve", age: 40)
            let error = #expect(throws: FetchedResultsError.self) { try results.performFetch() }
            #expect(error?.code == .unsortedSections)
            #expect(error?.objectIDs == [people[3].objectID, eve.objectID])
            #expect(error?.message.contains("\(eve.objectID) of section 'even'") == true)
            #expect(results.sectionNames == ["even", "odd"], "the former result stays")
            context.clearPendingErrors()
        }
    }

    @Test func `a change that mixes sections is an error of the next save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let (results, log) = controller(try .people(sortedBy: "age"), in: context) {
                $0.lastName ?? self.decade($0)
            }
            try results.performFetch()
            people[0].lastName = "30s"
            context.processPendingChanges()
            let error = #expect(throws: FetchedResultsError.self) { try context.save() }
            #expect(error?.code == .unsortedSections)
            #expect(log.calls.isEmpty)
            people[0].lastName = nil
            try context.save()
            #expect(results.sectionNames == ["10s", "20s", "30s"])
        }
    }

    @Test(arguments: [0, 2])
    func `a key path may give the order that another first sort has`(batch: Int) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            for (person, name) in zip(people, ["x", "x", "b", "a"]) { person.lastName = name }
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age", batch: batch), context: context,
                sectionNameKeyPath: "lastName")
            try results.performFetch()
            #expect(results.sectionNames == ["x", "b", "a"])
            #expect(results.sections?.map(\.numberOfObjects) == [2, 1, 1])
            people[3].lastName = "x"
            let error = #expect(throws: FetchedResultsError.self) { try results.performFetch() }
            #expect(error?.code == .unsortedSections && error?.keyPath == "lastName")
            #expect(error?.objectIDs == [people[2].objectID, people[3].objectID])
        }
    }

    @Test func `a key path may lead to a related object, sorted by another of its properties`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let bosses = [try context.person("Zoe", age: 90), try context.person("Yan", age: 95)]
            for (person, boss) in zip(people, [0, 1, 0, 1]) { person.boss = bosses[boss] }
            try context.save()
            let results = FetchedResultsController(
                fetchRequest: try .people("boss != nil", sortedBy: "boss.age", "firstName"),
                context: context, sectionNameKeyPath: "boss.firstName")
            try results.performFetch()
            #expect(results.sectionNames == ["Zoe", "Yan"])
            #expect(
                results.sections?.map { $0.objects.map(\.firstName) } == [
                    ["Ann", "Cyd"], ["Bob", "Dee"],
                ])
        }
    }

    @Test func `a transient attribute names sections`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            for person in people { person["mood"] = .string(person.age < 20 ? "calm" : "wild") }
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age"), context: context,
                sectionNameKeyPath: "mood")
            try results.performFetch()
            #expect(results.sectionNames == ["calm", "wild"])
        }
    }

    @Test func `a key path without a property says how to pass a computed one`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age"), context: context,
                sectionNameKeyPath: "decade")
            let error = #expect(throws: FetchedResultsError.self) { try results.performFetch() }
            #expect(error?.code == .unknownSections && error?.keyPath == "decade")
            #expect(error?.message.contains("sectionName: { $0.decade }") == true)
        }
    }
}
