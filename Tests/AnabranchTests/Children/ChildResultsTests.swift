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
}
