import Anabranch
import Foundation
import Testing

@Suite struct `Fetched results in a child context` {
    @Test func `show what the parent has not saved, and follow the child`() throws {
        let graph = try Graph()
        try graph.inContext { parent throws in
            try parent.person("Anna", age: 1)
            try parent.save()
            try parent.person("Cleo", age: 3)
            let child = parent.newChildContext()
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("age > 0")
            request.sorts = [FetchSort("firstName")]
            let results = FetchedResultsController(fetchRequest: request, context: child)
            let stream = results.changes()
            try results.performFetch()
            func names() -> [String?] { results.fetchedObjects?.map(\.firstName) ?? [] }
            #expect(names() == ["Anna", "Cleo"])
            try child.person("Bert", age: 2)
            child.processPendingChanges()
            #expect(names() == ["Anna", "Bert", "Cleo"])
            try child.people("firstName == 'Anna'")[0].age = 0
            child.processPendingChanges()
            #expect(names() == ["Bert", "Cleo"])
            try child.save()
            #expect(try parent.people("age > 0").map(\.firstName) == names())
            child.rollback()
            #expect(names() == ["Bert", "Cleo"])
            withExtendedLifetime(stream) {}
        }
    }

    /// - Parameters:
    ///   - depth: The level of the context with the results.
    ///   - place: The level of the context above that has not saved.
    @Test(
        arguments: [
            "ANY groups.title == 'x'", "ANY reports.age > 20", "company.name == 'Zinc'",
        ], [(depth: 1, place: 0), (2, 0), (2, 1), (3, 1)])
    func `find what contexts above have not saved of related objects, fetched or followed`(
        predicate: String, family: (depth: Int, place: Int)
    ) throws {
        let graph = try Graph()
        try graph.inContext { root throws in
            try root.insertFirm()
            try root.save()
            var contexts = [root]
            for _ in 0..<family.depth {
                contexts.append(contexts[contexts.count - 1].newChildContext())
            }
            let child = contexts[family.depth]
            try contexts[family.place].editFirm()
            contexts[family.place].processPendingChanges()
            let (results, log) = try child.results(.people(predicate, sortedBy: "firstName"))
            #expect(results.names == ["Boss"])
            try child.people("firstName == 'Rep'")[0].lastName = "touched"
            child.processPendingChanges()
            #expect(results.names == ["Boss"])
            try results.performFetch()
            #expect(results.names == ["Boss"])
            child.rollback()
            #expect(results.names == ["Boss"] && log.objects.isEmpty)
        }
    }

    @Test func `stand where contexts above have moved what they are sorted by`() throws {
        let graph = try Graph()
        try graph.inContext { parent throws in
            for (name, other) in [("a", "Acme"), ("b", "Beta"), ("c", "Cord")] {
                let company = try parent.insert("Company")
                company["name"] = .string(other)
                try parent.person(name).company = company
            }
            try parent.save()
            try parent.people("firstName == 'a'")[0].company?["name"] = "Zinc"
            var request = try FetchRequest.people(sortedBy: "company.name")
            request.fetchLimit = 2
            let (results, _) = try parent.newChildContext().results(
                request, sections: "company.name")
            #expect(results.names == ["b", "c"] && results.sectionNames == ["Beta", "Cord"])
        }
    }

    @Test func `judge what they show, whatever the parent has changed since it was read`() throws {
        try Graph.family { _, parent, child throws in
            let anna = try child.people()[0]
            #expect(anna.age == 1)
            try parent.people()[0].age = 2
            let (results, log) = try child.results(.people("age == 1", sortedBy: "firstName"))
            #expect(results.names == ["Anna"])
            try child.refresh(anna, mergeChanges: true)
            child.processPendingChanges()
            #expect(results.names == [] && log.objects.count == 1)
        }
    }

    @Test func `read as little as nothing where little of much is unsaved above`() throws {
        let graph = try Graph()
        try graph.inContext { parent throws in
            for number in 0..<500 { try parent.person("p\(number)", age: 1) }
            try parent.insertFirm()
            try parent.save()
            parent.reset()
            try parent.people("firstName == 'Rep'")[0].age = 30
            let child = parent.newChildContext()
            let before = graph.readStatements
            let (results, _) = try child.results(
                .people("ANY reports.age > 20", sortedBy: "firstName"))
            #expect(results.names == ["Boss"])
            #expect(graph.readStatements - before < 10)
            #expect(parent.registeredObjects.count < 10 && child.registeredObjects.count < 10)
        }
    }

    @Test func `keep their order over a parent that has not merged a concurrent save`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { parent throws in
            let people = try "abc".enumerated().map { index, name in
                try parent.person(String(name), age: Int64(index + 1))
            }
            try parent.save()
            try graph.inContext { other throws in
                try other.people("firstName == 'a'")[0].age = 5
                try other.save()
            }
            #expect(people.map(\.age) == [1, 2, 3])
            let child = parent.newChildContext()
            var request = FetchRequest<Person>()
            request.sorts = [FetchSort("age")]
            let results = FetchedResultsController(
                fetchRequest: request, context: child, sectionNameKeyPath: "age")
            let table = ResultsTable()
            results.delegate = table
            try results.performFetch()
            table.load(results)
            #expect(table.sections.map(\.name) == ["1", "2", "3"])
            for (name, age, sections) in [
                ("b", 4, ["1", "3", "4"]), ("c", 1, ["1", "4"]), ("a", 2, ["1", "2", "4"]),
            ] {
                try child.people("firstName == '\(name)'")[0].age = Int64(age)
                child.processPendingChanges()
                #expect(results.sections?.map(\.name) == sections && table.mistakes.isEmpty)
                #expect(table.sections == ResultsTable.read(results))
            }
        }
    }
}
