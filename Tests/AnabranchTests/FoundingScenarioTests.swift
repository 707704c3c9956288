import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import Testing

@Suite struct `The founding scenario` {
    @Test @MainActor
    func `IDs found in the background become objects in the main context`() async throws {
        let graph = try Graph()
        let background = graph.context()
        let ids = try await background.perform { context in
            for age in 0..<1000 {
                let person = try context.insert(Person.self)
                person.firstName = "First \(age)"
                person.lastName = "Last \(age)"
                person.age = Int64(age)
            }
            try context.save()
            context.reset()
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("(age >= 100) AND (age <= 200)")
            let ids = try context.objectIDs(for: request)
            #expect(context.registeredObjects.isEmpty)
            return ids
        }
        #expect(ids.count == 101)
        let context = graph.container.viewContext
        let people = ids.compactMap { context.object(with: $0) as? Person }
        for person in people { #expect(person.isFault) }
        let before = graph.readStatements
        #expect(Set(people.map(\.age)) == Set(100...200))
        for person in people { #expect(person.lastName == "Last \(person.age)") }
        #expect(graph.readStatements == before + 1)
    }

    @Test @MainActor
    func `the main context announces an event's changes when the event is over`() async throws {
        let graph = try Graph()
        let context = graph.container.viewContext
        var changes = context.objectChanges().makeAsyncIterator()
        let anna = try context.person("Anna")
        #expect(await changes.next().map { Array($0.inserted) } == [anna.objectID])
        try context.save()
        context.automaticallyMergesChangesFromParent = true
        let id = anna.objectID
        try await graph.context().perform { other in
            (other.object(with: id) as? Person)?.age = 5
            try other.save()
        }
        #expect(await changes.next().map { Array($0.refreshed) } == [id])
        #expect(anna.age == 5)
    }
}
