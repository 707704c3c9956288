import Foundation
import Testing

@testable import Anabranch

@Suite struct `Deletions` {
    @Test func `deleting is announced to the object and done by the save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.person("Anna", boss: boss)
            try context.save()
            boss.calls = []
            context.delete(boss)
            #expect(boss.calls == ["prepare 1"])
            #expect(boss.isDeleted && context.deletedObjects == [boss])
            context.delete(boss)
            #expect(boss.calls == ["prepare 1", "prepare 1"])
            #expect(try context.people().map(\.firstName) == ["Anna"])
            try context.save()
            #expect(!boss.isDeleted && boss.managedObjectContext == nil)
            #expect(try context.people().map(\.boss) == [nil])
        }
        try graph.inContext { context throws in
            #expect(try context.people().map(\.firstName) == ["Anna"])
            #expect(try context.people().first?.boss == nil)
        }
    }

    @Test func `a pending deletion is not found, and a reset forgets it`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna")
            try context.save()
            try context.people().forEach(context.delete)
            #expect(try context.people().isEmpty)
            context.reset()
            #expect(try context.people().map(\.firstName) == ["Anna"])
        }
    }

    @Test func `a deletion can be cancelled before it is saved`() throws {
        try Graph.withDeletedBoss { _, context, boss, anna throws in
            #expect(anna.boss == nil && anna.isUpdated)
            #expect(try context.people().count == 1)
            context.rollback()
            #expect(!boss.isDeleted && anna.boss === boss && boss.reports.count == 1)
            #expect(!context.hasChanges)
            #expect(try context.people().count == 2)
        }
    }

    @Test func `an object deleted before it was ever saved leaves nothing`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            try context.save()
            let anna = try context.person("Anna", boss: boss)
            context.delete(anna)
            context.processPendingChanges()
            #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
            #expect(boss.reports.isEmpty && anna.managedObjectContext == nil)
            try context.save()
            #expect(try graph.coordinator.history().count == 1)
        }
    }

    @Test func `cascades follow every level and meet in one change set`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "River"
            for _ in 0..<3 {
                let department = try context.insert("Department")
                try department.setObject(company, forKey: "company")
            }
            let anna = try context.person("Anna")
            anna.passport = try context.insert(Passport.self)
            try context.save()
        }
        try graph.inContext { context throws in
            let company = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Company")).first)
            context.delete(company)
            context.delete(try #require(try context.people().first))
            let before = graph.readStatements
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 6)
            #expect(graph.readStatements <= before + 8)
            try context.save()
        }
        try graph.inContext { context throws in
            for name in ["Company", "Department", "Passport", "Person"] {
                let request = FetchRequest<ManagedObject>(entityName: name)
                #expect(try context.count(for: request) == 0)
            }
            let deleted = try #require(try graph.coordinator.history().last).changes
            #expect(deleted.count == 6 && deleted.allSatisfy { $0.kind == .delete })
        }
    }

    @Test func `an object that a cascade deletes still reads its owner when it is reported`() throws
    {
        let model = try ManagedObjectModel {
            EntityDeclaration("Tree") {
                RelationshipDeclaration(
                    "leaves", toMany: "Leaf", inverse: "tree", deleteRule: .cascade)
            }
            EntityDeclaration("Leaf") {
                RelationshipDeclaration("tree", to: "Tree", inverse: "leaves")
            }
        }
        try League(model, classes: [Leaf.self]).inContext { context throws in
            let (tree, leaf) = (try context.insert("Tree"), try context.insert(Leaf.self))
            try leaf.setObject(tree, forKey: "tree")
            try context.save()
            try context.refreshAllObjects()
            context.delete(tree)
            #expect(leaf.ownerWhenTold == nil && !leaf.isDeleted)
            context.processPendingChanges()
            #expect(leaf.ownerWhenTold == tree.objectID && leaf.isDeleted)
        }
    }

    @Test func `a denied deletion fails while the other end stays`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "River"
            let anna = try context.person("Anna")
            anna.company = company
            try context.save()
            context.delete(company)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .deniedDelete && error?.property == "staff")
            #expect(company.isDeleted)
            try graph.inContext { other throws in
                let request = FetchRequest<ManagedObject>(entityName: "Company")
                #expect(try other.count(for: request) == 1)
            }
            context.delete(anna)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `nullifying a mandatory reference fails, read or not`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "River"
            let department = try context.insert("Department")
            try department.setObject(company, forKey: "company")
            let room = try context.insert("Room")
            try room.setObject(department, forKey: "department")
            try context.save()
            return department.objectID
        }
        try graph.inContext { context throws in
            context.delete(context.object(with: id))
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missingMandatoryProperty)
            #expect(error?.entity == "Room" && error?.property == "department")
            context.rollback()
            #expect(try context.existingObject(with: id).object(forKey: "company") != nil)
        }
    }

    @Test(arguments: [true, false])
    func `the deletion of an object updates only the loaded objects that refer to it`(
        isRead: Bool
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let ids = (boss.objectID, try context.person("Anna", boss: boss).objectID)
            try context.save()
            context.reset()
            let anna = try #require(context.object(with: ids.1, as: Person.self))
            if isRead { #expect(anna.boss != nil) }
            context.delete(context.object(with: ids.0))
            context.processPendingChanges()
            #expect(context.updatedObjects == (isRead ? [anna] : []))
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try context.save()
            if !isRead {
                #expect(log.all.map { Array($0.updated) } == [[]])
                #expect(!anna.calls.contains("will"))
            }
            #expect(anna.boss == nil)
        }
    }

    @Test func `the rule nullify writes no cell`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            let group = try context.insert(Group.self)
            group.members.insert(boss)
            try context.save()
            context.delete(boss)
            try context.save()
            #expect(anna.boss == nil && group.members.isEmpty)
            let changes = try #require(try graph.coordinator.history().last).changes
            #expect(changes.map(\.kind) == [.delete])
        }
    }

    @Test func `a reference to a deleted object is no reference`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna")
            try context.save()
            context.delete(boss)
            context.processPendingChanges()
            anna.boss = boss
            try context.save()
            #expect(anna.boss == nil)
            #expect(try context.people().map(\.boss) == [nil])
        }
    }

    @Test(arguments: [1024, 0])
    func `a reference set to a deleted object reads nil while another deletion is processed`(
        searched: Int
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.searchLimits = SearchLimits(always: searched, each: 0)
            let people = try ["Anna", "Bert", "Carl"].map { try context.person($0) }
            try context.save()
            context.delete(people[1])
            context.processPendingChanges()
            people[0].boss = people[1]
            context.delete(people[2])
            context.processPendingChanges()
            #expect(people[0].boss == nil && context.inconsistencies == [])
            try context.save()
            #expect(people[0].boss == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a reference stays changed when its former target is deleted afterwards`(
        isFormerFirst: Bool
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, bert) = (try context.person("Anna"), try context.person("Bert"))
            let emptied = try context.person("Emptied", boss: anna)
            let moved = try context.person("Moved", boss: anna)
            let nullified = try context.person("Nullified", boss: anna)
            try context.save()
            emptied.boss = nil
            moved.boss = bert
            for boss in isFormerFirst ? [anna, bert] : [bert, anna] {
                context.delete(boss)
                context.processPendingChanges()
            }
            for person in [emptied, moved] {
                #expect(try person.boss == nil && person.changedValues() == ["boss": .null])
            }
            #expect(try nullified.boss == nil && nullified.changedValues().isEmpty)
            try context.save()
            #expect(emptied.boss == nil && moved.boss == nil)
        }
    }

    @Test func `a refresh that drops a deletion restores the references as stored`() throws {
        try Graph.withDeletedBoss { graph, context, boss, anna throws in
            #expect(anna.boss == nil)
            try context.refresh(boss, mergeChanges: false)
            #expect(!boss.isDeleted && anna.boss === boss)
            #expect(boss.reports.objects == [anna])
            try context.save()
            #expect(
                try graph.inContext { try $0.people().map { $0.boss != nil } } == [true, false])
        }
    }

    @Test func `a reference that may deny a deletion is nil if its target was never saved`() throws
    {
        try Graph().inContext { context throws in
            let anna = try context.person("Anna")
            let company = try context.insert("Company")
            company["name"] = "Acme"
            try anna.setObject(company, forKey: "company")
            context.processPendingChanges()
            context.delete(company)
            context.processPendingChanges()
            #expect(try anna.object(forKey: "company") == nil)
            try context.save()
            #expect(try anna.object(forKey: "company") == nil)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `an object that another context has deleted denies no deletion`(
        isRead: Bool, isMerged: Bool
    ) throws {
        let graph = try Graph()
        let ids = try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "Acme"
            let people = [try context.person("Anna"), try context.person("Bob")]
            for person in people { try person.setObject(company, forKey: "company") }
            try context.save()
            return [company.objectID] + people.map(\.objectID)
        }
        try graph.inContext { context throws in
            let company = context.object(with: ids[0])
            let people = isRead ? try context.people() : []
            context.delete(company)
            #expect(throws: ValidationError.self) { try context.save() }
            for id in ids.dropFirst() {
                try graph.inContext { other throws in
                    other.delete(other.object(with: id))
                    try other.save()
                }
                if isMerged || isRead {
                    try context.mergeChanges(from: ObjectIDChanges(deleted: [id]))
                }
                if id == ids[1] { #expect(throws: ValidationError.self) { try context.save() } }
            }
            try context.save()
            #expect(company.managedObjectContext == nil)
            withExtendedLifetime(people) {}
        }
    }

    @Test(arguments: [false, true])
    func `a reference that may deny a deletion is nil once another context deleted its target`(
        isStored: Bool
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "Acme"
            let anna = try context.person("Anna")
            try context.save()
            if isStored {
                try anna.setObject(company, forKey: "company")
                try context.save()
            }
            let id = company.objectID
            if !isStored { try anna.setObject(company, forKey: "company") }
            context.processPendingChanges()
            try graph.inContext { other throws in
                if isStored { try other.people()[0].setObject(nil, forKey: "company") }
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
            try context.mergeChanges(
                from: ObjectIDChanges(updated: isStored ? [anna.objectID] : [], deleted: [id]))
            #expect(try anna.object(forKey: "company") == nil)
            try context.save()
            #expect(try anna.object(forKey: "company") == nil && !anna.isDeleted)
        }
    }
}

private final class Leaf: ManagedObject {
    override class var entityName: String { "Leaf" }
    override class var slotNames: [String] { ["tree"] }
    var ownerWhenTold: ManagedObjectID?
    override func prepareForDeletion() {
        let owner: ManagedObject? = self[toOne: 0]
        ownerWhenTold = owner?.objectID
    }
}
