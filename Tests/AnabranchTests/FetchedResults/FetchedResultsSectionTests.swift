import Anabranch
import Foundation
import Testing

@Suite struct `Sections of fetched results` {
    private func fill(_ context: ManagedObjectContext) throws -> [Person] {
        try [("Ann", "alpha"), ("Bob", "alpha"), ("Cyd", "beta"), ("Dee", "able")].map {
            let person = try context.person($0)
            person.lastName = $1
            return person
        }
    }

    @Test func `objects are in the section that their value names, in order`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let (results, _) = try context.results(
                .people(sortedBy: "lastName", "firstName"), sections: "lastName")
            #expect(results.sectionNames == ["able", "alpha", "beta"])
            #expect(results.sections?.map(\.numberOfObjects) == [1, 2, 1])
            #expect(results.sections?[1].objects.map(\.firstName) == ["Ann", "Bob"])
            #expect(results.indexPath(forObject: people[1]) == IndexPath(1, 1))
            #expect(results.object(at: IndexPath(2, 0)) === people[2])
            for path in [IndexPath(3, 0), IndexPath(0, 1), IndexPath(-1, 0), IndexPath()] {
                #expect(results.object(at: path) == nil)
            }
        }
    }

    @Test func `an index has the first letter of a name as a capital`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            _ = try fill(context)
            let (results, _) = try context.results(
                .people(sortedBy: "lastName"), sections: "lastName")
            #expect(results.sectionIndexTitle(forSectionName: "alpha") == "A")
            #expect(results.sections?.map(\.indexTitle) == ["A", "A", "B"])
            #expect(results.sectionIndexTitles == ["A", "B"])
            #expect(results.section(forSectionIndexTitle: "A", at: 0) == 0)
            #expect(results.section(forSectionIndexTitle: "B", at: 1) == 2)
            #expect(results.section(forSectionIndexTitle: "C", at: 2) == nil)
            results.sectionIndexTitle = { $0 == "beta" ? nil : String($0.suffix(2)) }
            #expect(results.sectionIndexTitles == ["le", "ha"])
        }
    }

    @Test func `a delegate may title the index`() throws {
        final class Titles: FetchedResultsControllerDelegate {
            func controller(
                _ controller: FetchedResultsController<Person>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { sectionName.uppercased() }
        }
        let graph = try Graph()
        try graph.inContext { context throws in
            _ = try fill(context)
            let (results, _) = try context.results(
                .people(sortedBy: "lastName"), sections: "lastName")
            let titles = Titles()
            results.delegate = titles
            #expect(results.sectionIndexTitles == ["ABLE", "ALPHA", "BETA"])
        }
    }

    @Test func `a move to a new section comes behind the section's insertion`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let (results, log) = try context.results(
                .people(sortedBy: "lastName", "firstName"), sections: "lastName")
            people[0].lastName = "aleph"
            context.processPendingChanges()
            #expect(
                log.calls == [
                    .will, .section(.insert, "aleph", 1),
                    .object(.move, people[0].objectID, IndexPath(1, 0), IndexPath(1, 0)), .did,
                ])
            log.clear()
            people[2].lastName = "alpha"
            context.processPendingChanges()
            #expect(
                log.calls == [
                    .will, .section(.delete, "beta", 3),
                    .object(.move, people[2].objectID, IndexPath(3, 0), IndexPath(2, 1)), .did,
                ])
            #expect(log.deletedSectionCounts == [0])
            #expect(results.sectionNames == ["able", "aleph", "alpha"])
            log.clear()
            context.delete(people[3])
            context.processPendingChanges()
            #expect(
                log.calls == [
                    .will, .section(.delete, "able", 0),
                    .object(.delete, people[3].objectID, IndexPath(0, 0), nil), .did,
                ])
        }
    }

    @Test func `a section that loses its object and gets another one stays`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try fill(context)
            let (_, log) = try context.results(
                .people(sortedBy: "lastName", "firstName"), sections: "lastName")
            people[2].lastName = "able"
            people[3].lastName = "beta"
            context.processPendingChanges()
            #expect(
                log.calls == [
                    .will, .object(.move, people[3].objectID, IndexPath(0, 0), IndexPath(2, 0)),
                    .object(.move, people[2].objectID, IndexPath(2, 0), IndexPath(0, 0)), .did,
                ])
        }
    }

    @Test func `names that a sort takes for equal are sections of their own, side by side`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            for (first, last) in [("1", "b"), ("2", "B"), ("3", "b"), ("4", "a"), ("5", "B")] {
                try context.person(first).lastName = last
            }
            var request = try FetchRequest<Person>.people(sortedBy: "lastName", "firstName")
            request.sorts[0].options = .caseInsensitive
            let (results, _) = try context.results(request, sections: "lastName")
            #expect(results.sectionNames == ["a", "B", "b"])
            #expect(results.names == ["4", "2", "5", "1", "3"])
            try context.save()
            try results.performFetch()
            #expect(results.names == ["4", "2", "5", "1", "3"])
        }
    }

    @Test func `numbers, missing values and values of related objects name sections`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "Acme"
            let anna = try context.person("Anna", age: 7)
            anna.company = company
            try context.person("Bob", age: -2)
            let (ages, _) = try context.results(.people(sortedBy: "age"), sections: "age")
            #expect(ages.sectionNames == ["-2", "7"])
            let (companies, log) = try context.results(
                .people(sortedBy: "company.name"), sections: "company.name")
            #expect(companies.sectionNames == ["", "Acme"])
            company["name"] = "Zinc"
            context.processPendingChanges()
            #expect(companies.sectionNames == ["", "Zinc"])
            #expect(
                log.calls == [
                    .will, .section(.delete, "Acme", 1), .section(.insert, "Zinc", 1),
                    .object(.move, anna.objectID, IndexPath(1, 0), IndexPath(1, 0)), .did,
                ])
        }
    }

    @Test func `without a key path there is one section, always`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (results, log) = try context.results(.people(sortedBy: "age"))
            #expect(results.sections?.map(\.numberOfObjects) == [0])
            try context.person("Anna")
            context.processPendingChanges()
            #expect(results.sections?.map(\.numberOfObjects) == [1])
            #expect(results.sectionNames == [""])
            #expect(log.calls.count == 3)
        }
    }
}
