import Anabranch
import Foundation
import Testing

/// Results of requests whose predicates read other objects than the fetched ones.
@Suite struct `Fetched results over relationships` {
    private func companies(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try ["Acme", "Beta"].map {
            let company = try context.insert("Company")
            company["name"] = .string($0)
            return company
        }
    }

    @Test func `an edit at the other end moves, inserts and deletes, before any save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let companies = try companies(context)
            for (index, name) in ["Ann", "Bob", "Cyd"].enumerated() {
                try context.person(name).company = companies[index % 2]
            }
            try context.save()
        }
        try graph.inContext { context throws in
            let (sorted, moves) = try context.results(
                .people(sortedBy: "company.name", "firstName"))
            let (members, log) = try context.results(
                .people("company.name == 'Acme'", sortedBy: "firstName"))
            #expect(sorted.names == ["Ann", "Cyd", "Bob"])
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Company"))
            let acme = try #require(found.first { $0["name"] == "Acme" })
            acme["name"] = "Zinc"
            context.processPendingChanges()
            #expect(sorted.names == ["Bob", "Ann", "Cyd"])
            #expect(moves.objects.count == 2 && members.names == [] && log.objects.count == 2)
            // A new fetch returns the same.
            try members.performFetch()
            try sorted.performFetch()
            #expect(members.names == [] && sorted.names == ["Bob", "Ann", "Cyd"])
            context.rollback()
            #expect(members.names == ["Ann", "Cyd"] && sorted.names == ["Ann", "Cyd", "Bob"])
        }
    }

    @Test func `an edit at the other end that is undone to the stored state is reported`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.undoManager = UndoStack()
            let companies = try companies(context)
            try context.person("Ann").company = companies[0]
            try context.save()
            let (members, log) = try context.results(
                .people("company.name == 'Acme'", sortedBy: "firstName"))
            companies[0]["name"] = "Zinc"
            context.processPendingChanges()
            #expect(members.names == [])
            context.undo()
            #expect(!context.hasChanges && members.names == ["Ann"])
            context.redo()
            #expect(members.names == [] && log.objects.count == 3)
        }
    }

    @Test func `the elements of a to-many decide whether their owner matches`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss", age: 60)
            let other = try context.person("Other", age: 61)
            let anna = try context.person("Anna", age: 10, boss: boss)
            try context.save()
            let (results, log) = try context.results(
                .people("ANY reports.age > 20", sortedBy: "firstName"))
            #expect(results.names == [])
            anna.age = 30
            context.processPendingChanges()
            #expect(log.objects == [.object(.insert, boss.objectID, nil, IndexPath(0, 0))])
            anna.boss = other
            context.processPendingChanges()
            #expect(results.names == ["Other"])
            context.delete(anna)
            context.processPendingChanges()
            #expect(results.names == [])
        }
    }

    @Test func `changes of the other end that were saved elsewhere count, too`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let companies = try companies(context)
            for (index, name) in ["Ann", "Bob", "Cyd"].enumerated() {
                try context.person(name, age: 30).company = companies[index % 2]
            }
            let boss = try context.person("Boss")
            try context.person("Rep", age: 40, boss: boss)
            try context.save()
        }
        try graph.inContext { context throws in
            let (named, log) = try context.results(
                .people("company.name == 'Acme'", sortedBy: "firstName", batch: 2))
            let (bosses, other) = try context.results(
                .people("ANY reports.age > 20", sortedBy: "firstName", batch: 2))
            defer { withExtendedLifetime((log, other)) {} }
            #expect(named.names == ["Ann", "Cyd"] && bosses.names == ["Boss"])
            try context.mergeChanges(
                from: try graph.changes { other in
                    let found = try other.fetch(FetchRequest<ManagedObject>(entityName: "Company"))
                    for company in found {
                        company["name"] = company["name"] == "Acme" ? "Zinc" : "Acme"
                    }
                })
            #expect(named.names == ["Bob"])
            let deletion = try graph.changes { other in
                other.delete(try #require(try other.people("firstName == 'Rep'").first))
            }
            try context.mergeChanges(from: deletion)
            #expect(bosses.names == [])
        }
    }

    @Test func `a reference to what was deleted elsewhere is none`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss", age: 60)
            for number in 0..<5 { try context.person("p\(number)", age: 1, boss: boss) }
            try context.save()
        }
        try graph.inContext { context throws in
            let (results, log) = try context.results(
                .people("boss == nil AND age == 1", sortedBy: "firstName", batch: 2))
            #expect(results.names == [])
            let changes = try graph.changes { other in
                other.delete(try #require(try other.people("firstName == 'Boss'").first))
            }
            try context.mergeChanges(from: changes)
            #expect(results.names == ["p0", "p1", "p2", "p3", "p4"])
            #expect(log.objects.count == 5)
        }
    }

    @Test func `an object that joins a company does not move the objects already in it`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let acme = try companies(context)[0]
            for number in 0..<500 { try context.person("p\(number)").company = acme }
            try context.save()
            let (_, log) = try context.results(.people(sortedBy: "company.name", "firstName"))
            let new = try context.person("a")
            new.company = acme
            let before = graph.readStatements
            context.processPendingChanges()
            #expect(graph.readStatements == before)
            #expect(log.objects == [.object(.insert, new.objectID, nil, IndexPath(0, 0))])
        }
    }

    @Test func `an object that refers to a target with a deniable deletion keeps its place`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.undoManager = UndoStack()
            let companies = try companies(context)
            try context.person("Ann").company = companies[0]
            try context.person("Bob")
            try context.save()
            let (sorted, log) = try context.results(.people(sortedBy: "company.name", "firstName"))
            #expect(sorted.names == ["Bob", "Ann"])
            context.delete(companies[0])
            context.processPendingChanges()
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(sorted.names == ["Bob", "Ann"])
            context.undo()
            #expect(sorted.names == ["Bob", "Ann"] && log.objects.isEmpty)
        }
    }

    @Test(arguments: [0, 2])
    func `an owner given by another context is not found if an edit names another owner`(
        batch: Int
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let bosses = try ["Ann", "Bob"].map { try context.person($0) }
            let cyd = try context.person("Cyd", age: 9)
            try context.save()
            cyd.boss = bosses[0]
            let changes = try graph.changes { other in
                let people = try other.people()
                people[2].boss = people[1]
            }
            try context.mergeChanges(from: changes)
            #expect(cyd.boss === bosses[0] && bosses[1].reports.isEmpty)
            try context.refresh(bosses[1], mergeChanges: false)
            let (results, _) = try context.results(
                .people("ANY reports.age > 5", sortedBy: "firstName", batch: batch))
            #expect(results.names == ["Ann"])
        }
    }

    @Test(arguments: [
        "ANY groups.title == 'x'", "ANY reports.age > 20", "company.name == 'Zinc'",
    ])
    func `fetching again finds what following an unsaved change elsewhere has found`(
        predicate: String
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.insertFirm()
            try context.save()
            let (results, log) = try context.results(.people(predicate, sortedBy: "firstName"))
            #expect(results.names == [])
            try context.editFirm()
            context.processPendingChanges()
            #expect(results.names == ["Boss"] && log.objects.count == 1)
            try results.performFetch()
            #expect(results.names == ["Boss"])
            try context.people("firstName == 'Boss'")[0].lastName = "touched"
            context.processPendingChanges()
            #expect(results.names == ["Boss"])
            context.rollback()
            #expect(results.names == [])
        }
    }
}
