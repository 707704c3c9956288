import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `Fetched results` {
    private typealias Call = ResultsLog<Person>.Call

    @Test func `there is nothing before the first fetch`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age"), context: context)
            let anna = try context.person("Anna")
            #expect(results.fetchedObjects == nil && results.sections == nil)
            #expect(results.object(at: IndexPath(0, 0)) == nil)
            #expect(results.indexPath(forObject: anna) == nil)
            #expect(results.sectionIndexTitles.isEmpty)
            try results.performFetch()
            #expect(results.fetchedObjects?.count == 1)
        }
    }

    @Test func `a request without a sort is refused`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let results = FetchedResultsController(
                fetchRequest: FetchRequest<Person>(), context: context)
            let error = #expect(throws: FetchedResultsError.self) { try results.performFetch() }
            #expect(error?.code == .missingSort && error?.entity == "Person")
        }
    }

    @Test func `an insertion is reported when changes are processed, before any save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Bob", age: 2)
            let (results, log) = try context.results(.people("age > 0", sortedBy: "age"))
            let anna = try context.person("Anna", age: 1)
            #expect(log.calls.isEmpty)
            context.processPendingChanges()
            #expect(
                log.calls == [
                    .will, .object(.insert, anna.objectID, nil, IndexPath(0, 0)), .did,
                ])
            #expect(results.names == ["Anna", "Bob"])
            log.clear()
            try context.save()
            #expect(log.calls.isEmpty)
        }
    }

    @Test func `an edit out of the predicate deletes, and one into it inserts`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob", age: 2)
            try context.save()
            let (results, log) = try context.results(.people("age > 0", sortedBy: "age"))
            anna.age = -1
            context.processPendingChanges()
            #expect(log.objects == [.object(.delete, anna.objectID, IndexPath(0, 0), nil)])
            log.clear()
            anna.age = 3
            context.processPendingChanges()
            #expect(log.objects == [.object(.insert, anna.objectID, nil, IndexPath(0, 1))])
            #expect(results.indexPath(forObject: bob) == IndexPath(0, 0))
            #expect(results.object(at: IndexPath(0, 1)) === anna)
            log.clear()
            context.delete(bob)
            context.processPendingChanges()
            #expect(log.objects == [.object(.delete, bob.objectID, IndexPath(0, 0), nil)])
        }
    }

    @Test func `an edited sort key moves an object, with no update besides`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (0..<4).map { try context.person("p\($0)", age: Int64($0)) }
            let (results, log) = try context.results(.people(sortedBy: "age"))
            people[0].age = 10
            context.processPendingChanges()
            #expect(
                log.calls == [
                    .will,
                    .object(.move, people[0].objectID, IndexPath(0, 0), IndexPath(0, 3)), .did,
                ])
            log.clear()
            people[0].age = 9
            context.processPendingChanges()
            // The object did not move.
            #expect(
                log.objects == [
                    .object(.update, people[0].objectID, IndexPath(0, 3), IndexPath(0, 3))
                ])
            #expect(results.names == ["p1", "p2", "p3", "p0"])
        }
    }

    @Test func `an update is reported with its old and its new index path`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob", age: 2)
            let (_, log) = try context.results(.people(sortedBy: "age"))
            context.delete(anna)
            bob.lastName = "B"
            context.processPendingChanges()
            #expect(
                log.objects == [
                    .object(.delete, anna.objectID, IndexPath(0, 0), nil),
                    .object(.update, bob.objectID, IndexPath(0, 1), IndexPath(0, 0)),
                ])
        }
    }

    @Test func `changes of objects outside the result are not reported`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: -1)
            let bob = try context.person("Bob", age: 1)
            let group = try context.insert(Group.self)
            try context.save()
            let (_, log) = try context.results(.people("age > 0", sortedBy: "age"))
            anna.firstName = "Anne"
            group.title = "g"
            try context.person("Cyd", age: -5)
            context.delete(group)
            context.processPendingChanges()
            try context.save()
            #expect(log.calls.isEmpty)
            #expect(try context.results(.people(sortedBy: "age")).0.fetchedObjects?.count == 3)
            #expect(bob.age == 1)
        }
    }

    @Test func `as few moves as possible are reported when sort keys change`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (0..<10).map { try context.person("p\($0)", age: Int64($0)) }
            let (_, log) = try context.results(.people(sortedBy: "age"))
            // All objects get other keys, and only one of them moves.
            for (index, person) in people.enumerated() { person.age = Int64(index + 100) }
            people[3].age = 1000
            context.processPendingChanges()
            let moves = log.objects.filter {
                if case .object(.move, _, _, _) = $0 { true } else { false }
            }
            #expect(
                moves == [
                    .object(.move, people[3].objectID, IndexPath(0, 3), IndexPath(0, 9))
                ])
            #expect(log.objects.count == 10)
        }
    }

    @Test func `a reset is reported to no delegate, and the next fetch starts again`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna")
            try context.save()
            let (results, log) = try context.results(.people(sortedBy: "age"))
            context.reset()
            context.processPendingChanges()
            try context.person("Bob", age: 1)
            context.processPendingChanges()
            #expect(log.calls.isEmpty)
            try results.performFetch()
            #expect(results.names == ["Anna", "Bob"])
            try context.person("Cyd", age: 2)
            context.processPendingChanges()
            #expect(log.objects.count == 1)
        }
    }

    @Test func `a rollback is reported as the changes that it reverts`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob", age: 2)
            try context.save()
            let (results, log) = try context.results(.people("age > 0", sortedBy: "age"))
            context.delete(anna)
            bob.age = -2
            let cyd = try context.person("Cyd", age: 3)
            context.processPendingChanges()
            #expect(results.names == ["Cyd"])
            log.clear()
            context.rollback()
            #expect(results.names == ["Anna", "Bob"])
            #expect(
                log.objects == [
                    .object(.delete, cyd.objectID, IndexPath(0, 0), nil),
                    .object(.insert, anna.objectID, nil, IndexPath(0, 0)),
                    .object(.insert, bob.objectID, nil, IndexPath(0, 1)),
                ])
        }
    }

    @Test func `a refresh is reported if values have changed, and only then`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (0..<4).map { try context.person("p\($0)", age: Int64($0)) }
            try context.save()
            let (results, log) = try context.results(.people(sortedBy: "age"))
            _ = try graph.changes { other in
                let same = try other.people()
                same[1].lastName = "x"
                same[2].age = 20
            }
            try context.refreshAllObjects()
            context.processPendingChanges()
            #expect(
                log.objects == [
                    .object(.move, people[2].objectID, IndexPath(0, 2), IndexPath(0, 3)),
                    .object(.update, people[1].objectID, IndexPath(0, 1), IndexPath(0, 1)),
                ])
            #expect(results.names == ["p0", "p1", "p3", "p2"])
            log.clear()
            people[0].age = 5
            try context.refresh(people[0], mergeChanges: false)
            try context.refreshAllObjects()
            context.processPendingChanges()
            #expect(log.calls.isEmpty)
        }
    }

    @Test func `an object that no longer matches after a refresh is reported as deleted`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob", age: -1)
            try context.save()
            let (results, log) = try context.results(.people("age > 0", sortedBy: "age"))
            _ = try graph.changes { other in
                let same = try other.people()
                same[0].age = -2
                same[1].age = 2
            }
            try context.refreshAllObjects()
            context.processPendingChanges()
            #expect(
                log.objects == [
                    .object(.delete, anna.objectID, IndexPath(0, 0), nil),
                    .object(.insert, bob.objectID, nil, IndexPath(0, 0)),
                ])
            #expect(results.names == ["Bob"])
        }
    }

    @Test func `a delegate may make changes, and is notified of them afterwards`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (results, log) = try context.results(.people(sortedBy: "age"))
            var isFirst = true
            log.whenChanged = {
                guard isFirst else { return }
                isFirst = false
                _ = try? context.person("Bob", age: 2)
                context.processPendingChanges()
            }
            try context.person("Anna", age: 1)
            context.processPendingChanges()
            #expect(log.calls.filter { $0 == .will }.count == 2)
            #expect(log.calls[2] == .did && log.calls[3] == .will)
            #expect(results.names == ["Anna", "Bob"])
        }
    }

    @Test func `a delegate may release its controller`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (_, log) = try context.results(.people(sortedBy: "age"))
            log.whenChanged = {
                log.results = nil
                _ = try? context.person("Bob")
                context.processPendingChanges()
            }
            try context.person("Anna")
            context.processPendingChanges()
            #expect(log.results == nil && log.objects.count <= 2)
            log.whenChanged = {}
        }
    }

    @Test(arguments: [0, 2]) func `a delegate may delete and save`(batch: Int) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (1...2).map { try context.person("p\($0)", age: $0) }
            try context.save()
            let (results, log) = try context.results(.people(sortedBy: "age", batch: batch))
            log.whenChanged = {
                guard let first = results.fetchedObjects?.first else { return }
                context.delete(first)
                do { try context.save() } catch { Issue.record(error) }
            }
            people[0].age = 3
            try context.save()
            #expect(log.calls.filter { $0 == .will }.count == 3)
            #expect(results.fetchedObjects?.isEmpty == true && !context.hasChanges)
        }
        #expect(try graph.inContext { try $0.people().isEmpty })
    }

    @Test(arguments: [0, 2]) func `a delegate may reset the context`(batch: Int) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            let (results, log) = try context.results(.people(sortedBy: "age", batch: batch))
            log.whenChanged = { context.reset() }
            anna.age = 2
            context.processPendingChanges()
            #expect(log.calls.filter { $0 == .will }.count == 1)
            _ = results.fetchedObjects?.map(\.age)
            _ = results.object(at: IndexPath(0, 0))?.firstName
            try results.performFetch()
            #expect(results.fetchedObjects?.map(\.age) == [1])
        }
    }

    @Test func `a sub-entity belongs to the result unless the request leaves it out`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            var request = try FetchRequest<Person>.people(sortedBy: "age")
            let (all, log) = try context.results(request)
            request.includesSubentities = false
            let (some, other) = try context.results(request)
            defer { withExtendedLifetime((log, other)) {} }
            try context.insert(Employee.self).age = 1
            try context.insert(Person.self).age = 2
            context.processPendingChanges()
            #expect(all.fetchedObjects?.map(\.age) == [1, 2])
            #expect(some.fetchedObjects?.map(\.age) == [2])
        }
    }
}
