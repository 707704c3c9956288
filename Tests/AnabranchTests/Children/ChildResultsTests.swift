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

    @Test func `keep their order over a parent that has not merged what others have saved`()
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
