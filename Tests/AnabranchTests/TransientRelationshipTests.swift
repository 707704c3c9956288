import Anabranch
import Foundation
import Testing

/// Tests of relationships that exist only in the memory of a context (items A10, A11 and D3 of
/// Core Data's behaviour).
@Suite struct `Transient relationships` {
    /// Runs a block with three saved things in a context.
    private func withThings(
        _ body: (
            Workshop, ManagedObjectContext, _ a: ManagedObject, _ b: ManagedObject,
            _ c: ManagedObject
        ) throws -> Void
    ) throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let c = try context.thing("c")
            try context.save()
            try body(workshop, context, a, b, c)
        }
    }

    @Test func `both ends agree, and each object has one place in a to-one`() throws {
        try withThings { _, context, a, b, c in
            try b.relate("leader", to: a)
            try a.list(forKey: "crew").append(c)
            #expect(try a.nameText("crew") == "bc" && c.object(forKey: "leader") === a)
            #expect(context.updatedObjects == [a, b, c])
            try a.list(forKey: "crew").move(from: 1, to: 0)
            #expect(try a.nameText("crew") == "cb")
            try b.list(forKey: "crew").append(c)
            #expect(try a.nameText("crew") == "b" && c.object(forKey: "leader") === b)
            try c.relate("leader", to: nil)
            #expect(try b.nameText("crew").isEmpty)
        }
    }

    @Test func `a to-one that is its own inverse makes pairs`() throws {
        try withThings { _, context, a, b, c in
            try a.relate("partner", to: b)
            #expect(try b.object(forKey: "partner") === a)
            try c.relate("partner", to: b)
            #expect(try a.object(forKey: "partner") == nil && b.object(forKey: "partner") === c)
            try b.relate("partner", to: b)
            #expect(try b.object(forKey: "partner") === b && c.object(forKey: "partner") == nil)
            try a.relate("partner", to: b)
            #expect(try b.object(forKey: "partner") === a && a.object(forKey: "partner") === b)
            try context.save()
        }
    }

    @Test func `a save keeps them in the context and writes nothing`() throws {
        try withThings { workshop, context, a, b, _ in
            let saves = try workshop.container.coordinator.history().count
            try a.relate("partner", to: b)
            try a.list(forKey: "crew").append(b)
            #expect(a.hasChanges && !a.hasPersistentChangedValues && !b.hasPersistentChangedValues)
            #expect(try a.changedValues().keys.sorted() == ["partner"])
            #expect(a.changedRelationshipNames == ["crew"])
            try context.save()
            #expect(!context.hasChanges && b.isUpdated == false)
            #expect(try a.object(forKey: "partner") === b && a.nameText("crew") == "b")
            #expect(try workshop.container.coordinator.history().count == saves)
            try workshop.inContext { other throws in
                let thing = try #require(try other.find("a"))
                #expect(try thing.object(forKey: "partner") == nil)
                #expect(try thing.objects(forKey: "crew").isEmpty)
            }
        }
    }

    @Test func `an insertion with one is saved without it`() throws {
        try Workshop().inContext { context throws in
            let (a, step) = (try context.thing("a"), try context.made("s", "Step"))
            try a.relate("cursor", to: step)
            try a.relate("partner", to: a)
            try context.save()
            #expect(try a.object(forKey: "cursor") === step && !context.hasChanges)
            try context.refresh(a, mergeChanges: true)
            #expect(try a.object(forKey: "cursor") == nil && a.object(forKey: "partner") == nil)
        }
    }

    @Test(arguments: [true, false])
    func `an object that becomes a fault loses them at both ends`(mergeChanges: Bool) throws {
        try withThings { _, context, a, b, c in
            try a.relate("partner", to: b)
            try c.relate("leader", to: a)
            try context.save()
            try context.refresh(a, mergeChanges: mergeChanges)
            #expect(try a.object(forKey: "partner") == nil && b.object(forKey: "partner") == nil)
            #expect(try a.nameText("crew").isEmpty && c.object(forKey: "leader") == nil)
            #expect(!context.hasChanges)
            context.reset()
            #expect(try context.find("c")?.object(forKey: "leader") == nil)
        }
    }

    @Test func `a refresh that keeps changes keeps them`() throws {
        try withThings { workshop, context, a, b, _ in
            try a.relate("partner", to: b)
            let changes = try workshop.elsewhere { other throws in
                let thing = try #require(try other.find("a"))
                thing["x"] = 7
                try thing.objects(forKey: "tags").insert(try other.made("t", "Tag"))
            }
            try context.mergeChanges(from: changes)
            #expect(try a["x"] == 7 && a.object(forKey: "partner") === b)
            try context.refresh(a, mergeChanges: true)
            #expect(try a.object(forKey: "partner") === b && b.object(forKey: "partner") === a)
        }
    }

    @Test func `another context's save leaves saved ones alone`() throws {
        try withThings { workshop, context, a, b, c in
            try a.relate("partner", to: b)
            try a.list(forKey: "crew").replace(with: [c, b])
            try context.save()
            let changes = try workshop.elsewhere { other throws in
                for name in ["a", "b", "c"] { try other.find(name)?["y"] = 3 }
                _ = try other.thing("d")
            }
            try context.mergeChanges(from: changes)
            #expect(try a.object(forKey: "partner") === b && a.nameText("crew") == "cb")
            #expect([a, b, c].allSatisfy { $0["y"] == 3 } && !context.hasChanges)
        }
    }

    @Test func `a rollback restores the members and the order of the last save`() throws {
        try withThings { _, context, a, b, c in
            try a.relate("partner", to: b)
            try a.list(forKey: "crew").replace(with: [a, b, c])
            try context.save()
            try a.relate("partner", to: c)
            try a.list(forKey: "crew").replace(with: [c, a])
            try b.list(forKey: "crew").append(b)
            context.rollback()
            #expect(try a.object(forKey: "partner") === b && c.object(forKey: "partner") == nil)
            #expect(try a.nameText("crew") == "abc" && b.nameText("crew").isEmpty)
            #expect(try b.object(forKey: "leader") === a && !context.hasChanges)
        }
    }

    @Test func `a deletion removes the object from them`() throws {
        try withThings { _, context, a, b, c in
            let step = try context.made("s", "Step")
            try a.relate("cursor", to: step)
            try a.list(forKey: "crew").replace(with: [b, c])
            try c.relate("partner", to: b)
            try context.save()
            context.delete(b)
            context.delete(step)
            context.processPendingChanges()
            #expect(try a.nameText("crew") == "c" && c.object(forKey: "partner") == nil)
            #expect(try a.object(forKey: "cursor") == nil)
            try context.save()
            #expect(!context.hasChanges)
            #expect(try a.nameText("crew") == "c")
        }
    }

    @Test func `another context's deletion removes the object from them`() throws {
        try withThings { workshop, context, a, b, c in
            try a.list(forKey: "crew").replace(with: [b, c])
            try context.save()
            let changes = try workshop.elsewhere { other throws in
                other.delete(try #require(try other.find("b")))
            }
            try context.mergeChanges(from: changes)
            #expect(try a.nameText("crew") == "c" && b.managedObjectContext == nil)
        }
    }

    @Test func `a context holds an object as long as it has them`() throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            try autoreleased {
                let (a, b) = (try context.thing("a"), try context.thing("b"))
                try a.relate("partner", to: b)
                try context.save()
            }
            #expect(context.registeredObjects.count == 2)
            let a = try #require(try context.find("a"))
            #expect(try a.object(forKey: "partner")?["name"] == "b")
            try a.relate("partner", to: nil)
            try context.save()
            #expect(context.registeredObjects == [a])
        }
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

    @Test func `a child's save takes them to the parent's objects`() throws {
        try withThings { _, parent, a, b, c in
            try c.relate("leader", to: b)
            try a.relate("partner", to: c)
            let child = parent.newChildContext()
            func below(_ object: ManagedObject) -> ManagedObject {
                child.object(with: object.objectID)
            }
            #expect(try below(a).object(forKey: "partner") == nil)
            try below(a).relate("partner", to: below(b))
            try below(a).list(forKey: "crew").replace(with: [below(c), below(b)])
            let d = try child.thing("d")
            try d.relate("leader", to: below(a))
            try below(a).list(forKey: "crew").move(from: 2, to: 0)
            try child.save()
            #expect(try a.object(forKey: "partner") === b && c.object(forKey: "partner") == nil)
            #expect(try a.nameText("crew") == "dcb" && b.nameText("crew").isEmpty)
            #expect(try c.object(forKey: "leader") === a && parent.hasChanges)
            try below(d).relate("leader", to: nil)
            try child.save()
            #expect(try a.nameText("crew") == "cb")
            try parent.save()
            let second = parent.newChildContext().object(with: a.objectID)
            #expect(try second.objects(forKey: "crew").isEmpty)
        }
    }

    @Test(arguments: [
        "leader.name == 'a'", "ANY crew.name == 'a'", "crew.@count > 0", "partner == nil",
        "owner.partner.name == 'a'", "SUBQUERY(parts, $p, $p.crew.@count == 0).@count > 1",
    ])
    func `a fetch by one is refused`(format: String) throws {
        try Workshop().inContext { context throws in
            let request = FetchRequest<ManagedObject>(entityName: "Thing")
            var filtered = request
            filtered.predicate = try FetchPredicate(format)
            let error = #expect(throws: FetchPredicateError.self) { try context.fetch(filtered) }
            #expect(error?.code == .notStored)
            var sorted = request
            sorted.sorts = [FetchSort("leader.name")]
            let other = #expect(throws: FetchPredicateError.self) { try context.fetch(sorted) }
            #expect(other?.code == .notStored)
        }
    }
}

@Suite struct `The validation of transient relationships` {
    private func container() throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try ManagedObjectModel {
                EntityDeclaration("Team") {
                    RelationshipDeclaration(
                        "guests", toMany: "Guest", optional: false, transient: true, maxCount: 2,
                        inverse: "host")
                }
                EntityDeclaration("Guest") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("rival", to: "Guest", transient: true)
                    RelationshipDeclaration(
                        "host", to: "Team", optional: false, transient: true, inverse: "guests",
                        deleteRule: .deny)
                }
            }, classes: [], storeDescription: .inMemory(named: UUID().uuidString))
        try container.load()
        return container
    }

    @Test func `one without an inverse forgets a deleted object`() throws {
        try container().newBackgroundContext().performAndWait { context in
            let team = try context.insert("Team")
            let guests = try (0..<2).map { _ in try context.insert("Guest") }
            for guest in guests { try guest.setObject(team, forKey: "host") }
            try guests[0].setObject(guests[1], forKey: "rival")
            try context.save()
            #expect(try guests[0].object(forKey: "rival") === guests[1])
            try guests[1].setObject(nil, forKey: "host")
            context.delete(guests[1])
            context.processPendingChanges()
            #expect(try guests[0].object(forKey: "rival") == nil)
            try context.save()
            #expect(try guests[0].object(forKey: "rival") == nil)
        }
    }

    private func codes(of context: ManagedObjectContext) throws -> Set<ValidationError.Code> {
        let error = #expect(throws: ValidationError.self) { try context.save() }
        return Set(error?.all.map(\.code) ?? [])
    }

    @Test func `counts and mandatory objects are checked`() throws {
        try container().newBackgroundContext().performAndWait { context in
            let team = try context.insert("Team")
            let guests = try (0..<3).map { _ in try context.insert("Guest") }
            #expect(try codes(of: context) == [.missingMandatoryProperty])
            for guest in guests { try guest.setObject(team, forKey: "host") }
            #expect(try codes(of: context) == [.tooManyObjects])
            try guests[0].setObject(nil, forKey: "host")
            context.delete(guests[0])
            try context.save()
            guests[1]["name"] = "n"
            try context.save()
            context.delete(guests[1])
            #expect(try codes(of: context) == [.deniedDelete])
        }
    }
}
