import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Restoring what merging discarded` {
    let scenario: ConflictScenario
    var here: Graph { scenario.here }
    var there: Graph { scenario.there }

    init() throws { scenario = try ConflictScenario() }

    private func onlyConflict(_ graph: Graph) throws -> ConflictEntry {
        let conflicts = try graph.coordinator.conflicts()
        #expect(conflicts.count == 1)
        return try #require(conflicts.first)
    }

    private func restore(_ conflict: ConflictEntry, in graph: Graph) throws {
        try graph.inContext { context throws in
            try context.restore(conflict)
            try context.save()
        }
    }

    private func code(_ conflict: ConflictEntry, in graph: Graph) throws -> ConflictError? {
        try graph.inContext { context throws in
            let error = #expect(throws: ConflictError.self) { try context.restore(conflict) }
            #expect(!context.hasChanges)
            return error
        }
    }

    @Test
    func `the journal reports the discarded value, the winner, authors, times and the object`()
        throws
    {
        try scenario.collide(here: { $0.firstName = "Here" }, there: { $0.firstName = "There" })
        try scenario.exchange()
        for graph in [here, there] {
            let conflict = try onlyConflict(graph)
            #expect(conflict.value == .string("Here") && conflict.winningValue == .string("There"))
            #expect(conflict.lost.author == "Ada" && conflict.winner?.author == "Bob")
            #expect(conflict.lost.stamp < (try #require(conflict.winner?.stamp)))
            let anna = try scenario.anna(graph, \.objectID)
            #expect(try graph.coordinator.managedObjectID(of: conflict) == anna)
            #expect(try graph.coordinator.conflict(conflict.id)?.value == .string("Here"))
            #expect(try graph.coordinator.conflictCount(.of(anna)) == 1)
            #expect(try graph.coordinator.conflictCount(.of(anna.entity)) == 1)
            let group = try #require(graph.coordinator.model.entity(named: "Group"))
            #expect(try graph.coordinator.conflicts(.of(group)).isEmpty)
        }
        #expect(try here.coordinator.purgeConflicts(.all) == 1)
        #expect(try here.coordinator.conflicts().isEmpty)
    }

    @Test func `an entry prints as a line with the values and the authors`() throws {
        try scenario.collide(here: { $0.firstName = "Here" }, there: { $0.firstName = "There" })
        try scenario.exchange()
        let line = "\(try onlyConflict(here))"
        let form =
            /1: firstName of Person [0-9a-f]{8}\/\d+ lost 'Here' by Ada, \S+Z, (.*) \S+Z/
        #expect(line.wholeMatch(of: form)?.1 == "against 'There': Bob wrote later,", "\(line)")
    }

    @Test func `a lost attribute is an unsaved edit, travels when saved, and stays in the journal`()
        throws
    {
        try scenario.collide(here: { $0.firstName = "Here" }, there: { $0.firstName = "There" })
        try scenario.exchange()
        let conflict = try onlyConflict(here)
        try here.inContext { context throws in
            let anna = try #require(try context.restore(conflict) as? Person)
            #expect(anna.firstName == "Here" && anna.age == 1)
            #expect(try anna.changedValues() == ["firstName": "Here"])
            context.rollback()
            #expect(anna.firstName == "There")
        }
        try restore(conflict, in: here)
        try scenario.exchange()
        for graph in [here, there] {
            #expect(try scenario.anna(graph, \.firstName) == "Here")
            #expect(try onlyConflict(graph).value == .string("Here"))
        }
    }

    @Test func `a lost null is restored, and a lost to-one with its inverse`() throws {
        try scenario.collide(here: { $0.firstName = nil }, there: { $0.firstName = "There" })
        try scenario.exchange()
        try restore(try onlyConflict(there), in: there)
        try scenario.exchange()
        #expect(try scenario.anna(here, \.firstName) == nil)
        for graph in [here, there] { try graph.coordinator.purgeConflicts(.all) }

        try scenario.collide(
            here: { $0.boss = try $0.managedObjectContext?.named("Boss") },
            there: { $0.boss = try $0.managedObjectContext?.named("Chief") })
        try scenario.exchange()
        #expect(try scenario.anna(here) { $0.boss?.lastName } == "Chief")
        let conflict = try onlyConflict(there)
        try there.inContext { context throws in
            let anna = try #require(try context.restore(conflict) as? Person)
            let boss = try context.named("Boss")
            #expect(anna.boss === boss && boss.reports.contains(anna))
            try context.save()
        }
        try scenario.exchange()
        #expect(try scenario.anna(here) { $0.boss?.lastName } == "Boss")
    }

    @Test func `a lost to-one with a deleted target is refused`() throws {
        try scenario.collide(
            here: { $0.boss = try $0.managedObjectContext?.named("Boss") },
            there: { $0.boss = try $0.managedObjectContext?.named("Chief") })
        try scenario.exchange()
        try here.inContext { context throws in
            context.delete(try context.named("Boss"))
            try context.save()
        }
        let error = try #require(try code(try onlyConflict(here), in: here))
        #expect(error.code == .targetDeleted && error.property == "boss")
    }

    @Test func `nothing is restored into a record with an unsaved deletion`() throws {
        try scenario.collide(here: { $0.firstName = "Here" }, there: { $0.firstName = "There" })
        try scenario.exchange()
        let conflict = try onlyConflict(here)
        try here.inContext { context throws in
            let id = try #require(try context.coordinator.managedObjectID(of: conflict))
            let anna = try #require(context.object(with: id, as: Person.self))
            context.delete(anna)
            let error = #expect(throws: ConflictError.self) { try context.restore(conflict) }
            #expect(error?.code == .recordDeleted && error?.record == conflict.record)
            #expect(anna.firstName == "There")
            context.rollback()
            #expect(try context.restore(conflict) === anna && anna.firstName == "Here")
        }
    }

    @Test func `a value lost with a deleted record can only be restored as a new object`() throws {
        try scenario.collide(
            here: {
                $0.firstName = "Here"
                $0.age = 7
                $0.boss = try $0.managedObjectContext?.named("Boss")
            },
            there: { $0.managedObjectContext?.delete($0) })
        try scenario.exchange()
        for graph in [here, there] {
            for conflict in try graph.coordinator.conflicts() {
                let error = try #require(try code(conflict, in: graph))
                #expect(error.code == .recordDeleted && error.record == conflict.record)
                #expect(error.conflict == conflict.id && error.entity == "Person")
            }
            let conflict = try #require(try graph.coordinator.conflicts().last)
            try graph.inContext { context throws in
                let lost = try context.discardedValues(of: conflict)
                #expect(lost.attributes["firstName"] == .string("Here"))
                #expect(lost.attributes["age"] == .integer(7))
                #expect(lost.attributes["lastName"] == .string("Anna"))
                #expect(lost.related["boss"]?.count == 1 && lost.record == conflict.record)
            }
        }
        let kinds = Set(try here.coordinator.conflicts().map(\.kind))
        #expect(kinds == [.deletedWhileWritten, .deletedWithRecord])
        #expect(try there.coordinator.conflicts().allSatisfy { $0.kind == .writeToDeleted })
        let conflict = try #require(try there.coordinator.conflicts().first)
        try there.inContext { context throws in
            let again = try #require(
                try context.insert(try context.discardedValues(of: conflict)) as? Person)
            #expect(try again.objectID.recordID != conflict.record)
            try context.save()
        }
        try scenario.exchange()
        try scenario.anna(here) { anna in
            #expect(anna.firstName == "Here" && anna.age == 7 && anna.boss?.lastName == "Boss")
        }
        #expect(try there.coordinator.conflictCount() == 3)
    }

    @Test func `a link lost with one end is refused by name, and is among the discarded values`()
        throws
    {
        try scenario.collide(
            here: { anna in
                let context = try #require(anna.managedObjectContext)
                try context.fetch(FetchRequest<Group>()).first?.members.insert(anna)
                anna.age = 5
            },
            there: { $0.managedObjectContext?.delete($0) })
        try scenario.exchange()
        for graph in [here, there] {
            let link = try #require(
                try graph.coordinator.conflicts().first { $0.kind == .linkToDeleted })
            #expect(try code(link, in: graph)?.code == .targetDeleted)
            try graph.inContext { context throws in
                let lost = try context.discardedValues(of: link)
                let group = try #require(try context.fetch(FetchRequest<Group>()).first)
                #expect(lost.entity.name == "Person")
                #expect(lost.attributes["age"] == .integer(5))
                #expect(lost.attributes["lastName"] == .string("Anna"))
                #expect(lost.related["groups"] == [try group.objectID.recordID])
                let again = try #require(try context.insert(lost) as? Person)
                #expect(group.members.contains(again) && again.groups.contains(group))
            }
        }
    }

    @Test func `a discarded link is recreated if both ends exist`() throws {
        try scenario.collide(here: { $0.age = 2 }, there: { $0.age = 3 })
        try scenario.exchange()
        let present = try onlyConflict(here)
        try here.inContext { context throws in
            let group = try #require(try context.fetch(FetchRequest<Group>()).first)
            let anna = try context.named("Anna")
            let members = try #require(
                group.entity.relationships.first { $0.name == "members" }?.wireProperty)
            let conflict = present.with(
                kind: .linkToDeleted, record: try group.objectID.recordID, entity: "Group",
                property: members, value: .reference(try anna.objectID.recordID))
            #expect(try context.restore(conflict) === group)
            #expect(group.members.objects == [anna] && anna.groups.objects == [group])
            try context.save()
        }
        try scenario.exchange()
        #expect(try scenario.anna(there) { $0.groups.map(\.title) } == ["G"])
    }

    @Test func `an object of a sub-entity is reported with its own entity`() throws {
        try here.inContext { context throws in
            try context.insert(Employee.self).lastName = "Anna the other"
            try context.save()
        }
        try scenario.collide(here: { $0.age = 2 }, there: { $0.age = 3 })
        try scenario.exchange()
        let conflict = try onlyConflict(there)
        try there.inContext { context throws in
            let employee = try context.named("Anna the other").objectID
            let told = try context.coordinator.managedObjectID(
                of: conflict.with(record: try employee.recordID))
            #expect(told?.entity.name == "Employee" && told == employee)
        }
        let unknown = conflict.with(entity: "Nobody")
        #expect(try there.coordinator.managedObjectID(of: unknown) == nil)
        #expect(try code(unknown, in: there)?.code == .unknownProperty)
        let renamed = conflict.with(property: WireProperty(name: "height", type: .integer64))
        #expect(try code(renamed, in: there)?.code == .unknownProperty)
    }
}

@Suite struct `Restoring under a rule` {
    @Test(arguments: ["first": MergeRule.firstWriter, "best": .max, "worst": .min, "sum": .counter])
    func `a value that can't win is refused`(name: String, rule: MergeRule) throws {
        let pair = try MergeRulePair()
        try pair.edit(pair.here) { try $0.setValue("older", forKey: "title") }
        try pair.edit(pair.there) { try $0.setValue("newer", forKey: "title") }
        try pair.exchange()
        let present = try #require(try pair.here.coordinator.conflicts().first)
        let conflict = present.with(
            property: WireProperty(name: WireName(name), type: .integer64, rule: rule),
            value: .integer(99))
        pair.here.newBackgroundContext().performAndWait { context in
            let error = #expect(throws: ConflictError.self) { try context.restore(conflict) }
            #expect(error?.code == .cannotWin && error?.property == name)
            #expect(!context.hasChanges)
        }
    }

    @Test func `discarded values are what each rule makes of all discarded writes`() throws {
        let pair = try MergeRulePair()
        for (best, sum) in [(50, 3), (40, 8)] {
            try pair.edit(pair.here) { game in
                try game.setValue("at \(best)", forKey: "title")
                try game.setValue(Int64(sum), forKey: "sum")
                if best == 50 { try game.setValue(Int64(50), forKey: "best") }
            }
        }
        try pair.edit(pair.there) { $0.managedObjectContext?.delete($0) }
        try pair.exchange()
        // Replica `here` deleted it while it held 8; replica `there` had deleted it before 3 and 5
        // arrived.
        for container in [pair.here, pair.there] {
            let conflict = try #require(try container.coordinator.conflicts().first)
            try container.newBackgroundContext().performAndWait { context in
                let lost = try context.discardedValues(of: conflict)
                #expect(lost.attributes["title"] == .string("at 40"))
                #expect(lost.attributes["best"] == .integer(50))
                #expect(lost.attributes["sum"] == .integer(8))
            }
        }
    }
}

/// Two stores of a model with merge rules that hold one game.
private struct MergeRulePair {
    let folder: TemporaryDirectory
    let here: PersistentContainer
    let there: PersistentContainer
    let zone = Zone()

    init() throws {
        folder = try TemporaryDirectory("merge-rules")
        let model = try ManagedObjectModel {
            EntityDeclaration("Game") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("first", .integer64, mergeRule: .firstWriter)
                AttributeDeclaration("sum", .integer64, mergeRule: .counter)
                AttributeDeclaration("worst", .integer64, mergeRule: .min)
            }
        }
        here = PersistentContainer(model: model, url: folder.url.appending(path: "here"))
        there = PersistentContainer(model: model, url: folder.url.appending(path: "there"))
        for container in [here, there] { try container.load() }
        try here.newBackgroundContext().performAndWait { context in
            let game = try context.insert("Game")
            try game.setValue(Int64(0), forKey: "sum")
            try context.save()
        }
        try exchange()
    }

    func edit(_ container: PersistentContainer, _ body: (ManagedObject) throws -> Void) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try container.newBackgroundContext().performAndWait { context in
            let request = FetchRequest<ManagedObject>(entityName: "Game")
            try body(try #require(try context.fetch(request).first))
            try context.save()
        }
    }

    func exchange() throws {
        for container in [here, there, here] { try zone.exchange(container.coordinator) }
    }
}
