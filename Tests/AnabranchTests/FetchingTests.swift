import Anabranch
import Foundation
import Testing

/// Runs `body` with saved and unsaved objects, the fixture E of the specification: alpha 22, bravo
/// 25 and charlie 10 are saved. Alpha 5, charlie 21, the deletion of bravo, and the new delta 30
/// and echo 40 are pending.
private func pendingSalaries(_ body: (Graph, ManagedObjectContext) throws -> Void) throws {
    let graph = try Graph()
    try graph.inContext { context throws in
        let alpha = try context.person("alpha", age: 22)
        let bravo = try context.person("bravo", age: 25)
        let charlie = try context.person("charlie", age: 10)
        try context.save()
        alpha.age = 5
        charlie.age = 21
        context.delete(bravo)
        try context.person("delta", age: 30)
        try context.person("echo", age: 40)
        try body(graph, context)
    }
}

private func above20(
    _ change: (inout FetchRequest<Person>) throws -> Void = { _ in }
) throws
    -> FetchRequest<Person>
{
    var request = FetchRequest<Person>()
    request.predicate = try FetchPredicate("age > 20")
    request.sorts = [FetchSort("age")]
    try change(&request)
    return request
}

@Suite struct `Fetching` {
    @Test func `pending changes count for membership, order and window`() throws {
        try pendingSalaries { _, context throws in
            let found = try context.fetch(try above20())
            #expect(found.map(\.firstName) == ["charlie", "delta", "echo"])
            #expect(try context.count(for: try above20()) == 3)
            let ids = try context.objectIDs(for: try above20())
            #expect(ids == found.map(\.objectID))
            let window = try above20 {
                $0.fetchLimit = 1
                $0.fetchOffset = 1
            }
            #expect(try context.fetch(window).map(\.firstName) == ["delta"])
            #expect(try context.count(for: window) == 1)
        }
    }

    @Test func `a predicate too deep for the store is refused even with pending changes`() throws {
        let formats = [
            "ANY " + String(repeating: "friends.", count: 8) + "age > 1",
            String(repeating: "boss.", count: 64) + "age > 1",
        ]
        try pendingSalaries { _, context throws in
            for format in formats {
                for isPending in [true, false] {
                    let request = try above20 {
                        $0.predicate = try FetchPredicate(format)
                        $0.includesPendingChanges = isPending
                    }
                    let errors = [
                        #expect(throws: FetchPredicateError.self) { try context.fetch(request) },
                        #expect(throws: FetchPredicateError.self) {
                            try context.objectIDs(for: request)
                        },
                        #expect(throws: FetchPredicateError.self) {
                            try context.count(for: request)
                        },
                    ]
                    #expect(errors.allSatisfy { $0?.code == .tooComplex })
                }
            }
        }
    }

    @Test func `without pending changes the store alone decides`() throws {
        try pendingSalaries { _, context throws in
            let request = try above20 { $0.includesPendingChanges = false }
            #expect(try context.count(for: request) == 2)
            #expect(try context.fetch(request).map(\.firstName) == ["alpha", "bravo"])
            #expect(try context.fetch(request).first?.age == 5)
            context.reset()
            #expect(try context.count(for: try above20()) == 2)
        }
    }

    @Test func `an offset beyond the end finds nothing`() throws {
        try pendingSalaries { _, context throws in
            #expect(try context.fetch(try above20 { $0.fetchOffset = 9 }).isEmpty)
            #expect(try context.count(for: try above20 { $0.fetchOffset = 9 }) == 0)
        }
    }

    @Test func `sub-entities are found unless they are left out`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna")
            try context.insert(Employee.self).firstName = "Bob"
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(try context.people().count == 2)
                var request = FetchRequest<Person>()
                request.includesSubentities = false
                #expect(try context.fetch(request).map(\.firstName) == ["Anna"])
                #expect(try context.fetch(FetchRequest<Employee>()).count == 1)
                let ids = try context.objectIDs(for: FetchRequest<Person>())
                #expect(Set(ids.map(\.entity.name)) == ["Person", "Employee"])
            }
        }
    }

    @Test func `sorts and windows hold in the store as in memory`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for age in [5, 3, 9, 1, 7] { try context.person("p\(age)", age: Int64(age)) }
            let nobody = try context.insert(Person.self)
            nobody.age = 4
            var request = FetchRequest<Person>()
            request.sorts = [FetchSort("firstName", ascending: false)]
            request.fetchLimit = 3
            request.fetchOffset = 1
            let pending = try context.fetch(request).map(\.age)
            try context.save()
            #expect(pending == [7, 5, 3])
            #expect(try context.fetch(request).map(\.age) == pending)
            request.fetchLimit = 0
            #expect(try context.fetch(request).last?.firstName == nil)
        }
    }

    @Test func `predicates follow relationships in the store as in memory`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss", age: 60)
            let anna = try context.person("Anna", age: 30, boss: boss)
            try context.person("Bob", age: 20)
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(try context.people("boss.firstName == 'Boss'") == [anna])
                #expect(try context.people("boss == %@", boss.objectID) == [anna])
                #expect(try context.people("ANY reports.age == 30") == [boss])
                #expect(try context.people("boss == nil").count == 2)
                #expect(try context.people("firstName IN %@", ["Anna", "Bob"]).count == 2)
                #expect(try context.people("lastName != 'x'").count == 3)
            }
        }
    }

    @Test func `IDs make no objects and read no rows`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for age in 0..<10 { try context.person("p", age: Int64(age)) }
            try context.save()
        }
        try graph.inContext { context throws in
            let ids = try context.objectIDs(for: FetchRequest<Person>())
            #expect(ids.count == 10 && context.registeredObjects.isEmpty)
            var request = FetchRequest<Person>()
            request.includesPropertyValues = false
            let people = try context.fetch(request)
            let before = graph.readStatements
            #expect(Set(people.map(\.age)) == Set(0..<10))
            #expect(graph.readStatements == before + 1)
        }
    }

    @Test func `objects may come realised and with their relationships`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            for name in ["Anna", "Bob"] { try context.person(name, boss: boss) }
            try context.save()
        }
        try graph.inContext { context throws in
            var request = FetchRequest<Person>()
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = ["reports", "boss"]
            let people = try context.fetch(request)
            let before = graph.readStatements
            #expect(people.allSatisfy { !$0.isFault })
            #expect(people.map(\.reports.count).sorted() == [0, 0, 2])
            #expect(people.compactMap(\.boss?.firstName) == ["Boss", "Boss"])
            #expect(graph.readStatements == before)
        }
    }

    @Test func `refetched objects are refreshed when asked, and keep their edits`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            try graph.inContext { other throws in
                try other.people().first?.age = 2
                try other.save()
            }
            anna.lastName = "A"
            var request = FetchRequest<Person>()
            #expect(try context.fetch(request) == [anna])
            #expect(anna.age == 1)
            request.shouldRefreshRefetchedObjects = true
            request.includesPendingChanges = false
            #expect(try context.fetch(request) == [anna])
            #expect(anna.age == 2 && anna.lastName == "A")
            try context.save()
        }
    }

    @Test func `an object of another store is none of this one's`() throws {
        let here = try Graph()
        let there = try Graph()
        let stranger = try there.inContext { context in
            let id = try context.person("Anna").objectID
            try context.save()
            return id
        }
        try here.inContext { context in
            let anna = try context.person("Anna")
            try context.save()
            #expect(try context.people("SELF == %@", anna.objectID) == [anna])
            let found = try context.people("SELF == %@", stranger)
            #expect(found.isEmpty)
            context.reset()
            let refetched = try context.people("SELF == %@", stranger)
            #expect(refetched.isEmpty)
        }
    }

    @Test func `a predicate that does not fit is an error that names the key`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let error = #expect(throws: FetchPredicateError.self) {
                try context.people("nose == 1")
            }
            #expect(error?.entity == "Person" && error?.key == "nose")
            #expect(throws: FetchPredicateError.self) { try context.people("age == 'abc'") }
            var request = FetchRequest<Person>()
            request.sorts = [FetchSort("nose")]
            let sorting = #expect(throws: FetchPredicateError.self) { try context.fetch(request) }
            #expect(sorting?.entity == "Person" && sorting?.key == "nose")
            #expect(throws: PropertyError.self) {
                try context.fetch(FetchRequest<Group>(entityName: "Person"))
            }
        }
    }

    @Test func `without sorts a window goes by the order of IDs, changed objects among them`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (0..<6).map { try context.person("\($0)") }
            try context.save()
            people[1].age = 5
            context.delete(people[2])
            try context.person("6")
            var request = FetchRequest<Person>()
            request.fetchLimit = 2
            var names: [String] = []
            for offset in [0, 2, 4] {
                request.fetchOffset = offset
                names += try context.fetch(request).map { $0.firstName ?? "" }
            }
            #expect(names == ["0", "1", "3", "4", "5", "6"])
        }
    }
}
