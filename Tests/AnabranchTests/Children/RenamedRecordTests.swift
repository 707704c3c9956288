import Anabranch
import Foundation
import Testing

/// A merge policy of the parent, or an undo in it, replaces a record that a child knows by another
/// record.
@Suite struct `A record that the parent replaced by another` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    /// The way in which the child learns of it.
    enum Way: CaseIterable, Sendable { case merge, save, refresh }

    /// An account that a child has inserted, and the parent's record that replaced it.
    private struct Case {
        let parent: ManagedObjectContext
        let child: ManagedObjectContext
        let account: ManagedObject
        let former: ManagedObjectID
        /// The ID of the surviving record.
        let id: ManagedObjectID
        let notification: Notification

        func merge() throws { try child.mergeChanges(fromContextDidSave: notification) }
    }

    /// Inserts an account in a child. It becomes the stored account of the code `k` when the parent
    /// saves it.
    private func rename(
        _ policy: Policy = .objectTrump, using present: Bool = false,
        with relate: (ManagedObject) throws -> Void = { _ in }, _ body: (Case) throws -> Void
    ) throws {
        let id = try ledger.account(["code": "k", "a": 1, "name": "one"])
        try ledger.inContext(policy.policy) { parent throws in
            let child = parent.newChildContext()
            let held = present ? try child.read(id) : nil
            let account = try child.make("Account", ["code": "k", "b": 2, "name": "one"])
            try relate(account)
            let former = account.objectID
            try child.save()
            let notification = try parent.notificationOfSave()
            try body(
                Case(
                    parent: parent, child: child, account: account, former: former, id: id,
                    notification: notification))
            withExtendedLifetime(held) {}
        }
    }

    @Test(arguments: Policy.resolving)
    func `becomes the surviving record in a child that merges the save`(policy: Policy) throws {
        try rename(policy) { it in
            let log = NotificationLog(
                ManagedObjectContext.didMergeChangesObjectIDs,
                ManagedObjectContext.objectsDidChange, of: it.child)
            try it.merge()
            #expect(log.all.map(\.renamed) == [[it.former: it.id], [it.former: it.id]])
            #expect(it.account.objectID == it.id && !it.child.hasChanges)
            #expect(it.child.registeredObject(for: it.id) === it.account)
            #expect(it.child.registeredObject(for: it.former) == nil)
            let a: PropertyValue = policy == .overwrite ? .null : 1
            let b: PropertyValue = policy == .rollback ? .null : 2
            #expect(try it.account.values("a", "b") == [a, b])
            try it.account.set(["b": 3])
            try it.child.save()
            try it.parent.save()
            #expect(try ledger.stored(it.id, "a", "b") == [a, 3])
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Way.allCases)
    func `adopts an unsaved edit`(way: Way) throws {
        try rename { it in
            try it.account.set(["b": 3])
            switch way {
            case .merge: try it.merge()
            case .save: break
            case .refresh: try it.child.refresh(it.account, mergeChanges: true)
            }
            try it.child.save()
            #expect(it.account.objectID == it.id && !it.account.isDeleted)
            #expect(try it.account.values("a", "b") == [1, 3])
            try it.parent.save()
            #expect(try ledger.stored(it.id, "a", "b") == [1, 3])
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Way.allCases)
    func `references to the former record point to the surviving one`(way: Way) throws {
        func relate(_ account: ManagedObject) throws {
            let context = try #require(account.managedObjectContext)
            // Lists that were read before still have the former ID.
            context.retainsRegisteredObjects = true
            for name in ["t", "u"] {
                try account.objects(forKey: "tags").insert(
                    try context.make("Tag", ["name": .string(name)]))
            }
            for name in ["x", "y"] {
                try account.list(forKey: "steps").append(
                    try context.make("Step", ["name": .string(name)]))
            }
            try context.make("Note", ["name": "n"]).setObject(account, forKey: "about")
            _ = try context.make("Note", ["name": "m"])
            try account.setObject(try context.make("Bank", ["name": "b"]), forKey: "bank")
        }
        try rename(with: relate) { it in
            let (t, u) = (try it.child.named("t", "Tag"), try it.child.named("u", "Tag"))
            let bank = try it.child.named("b", "Bank")
            let notes = [try it.child.named("n", "Note"), try it.child.named("m", "Note")]
            #expect(try t.names("accounts") == ["one"] && bank.names("accounts") == ["one"])
            try notes[1].setObject(it.account, forKey: "about")
            try u.objects(forKey: "accounts").remove(it.account)
            let v = try it.child.make("Tag", ["name": "v"])
            try v.objects(forKey: "accounts").insert(it.account)
            switch way {
            case .merge: try it.merge()
            case .save: try it.child.save()
            case .refresh: try it.child.refresh(it.account, mergeChanges: true)
            }
            #expect(it.account.objectID == it.id)
            for note in notes { #expect(try note.object(forKey: "about") === it.account) }
            #expect(try it.account.names("tags").sorted() == ["t", "v"])
            for tag in [t, v] {
                #expect(try tag.objects(forKey: "accounts").objects == [it.account])
            }
            #expect(try u.objects(forKey: "accounts").isEmpty)
            #expect(
                try it.account.names("steps") == ["x", "y"] && it.account.target("bank") == "b")
            #expect(try bank.objects(forKey: "accounts").objects == [it.account])
            try it.child.save()
            try it.parent.save()
        }
        try ledger.inContext { context throws in
            let account = try #require(try context.named("n", "Note").object(forKey: "about"))
            #expect(try context.named("m", "Note").object(forKey: "about") === account)
            #expect(try account.names("tags").sorted() == ["t", "v"])
            #expect(try account.names("steps") == ["x", "y"])
        }
    }

    @Test(arguments: Way.allCases)
    func `takes its edits over where the child uses the other one already`(way: Way) throws {
        try rename(using: true) { it in
            let present = try #require(it.child.registeredObject(for: it.id))
            let (tag, bank) = (try it.child.make("Tag", ["name": "t"]), try it.child.insert("Bank"))
            let note = try it.child.make("Note", ["name": "n"])
            try it.account.set(["b": 3, "c": 4, "visits": 2])
            try it.account.objects(forKey: "tags").insert(tag)
            try it.account.setObject(bank, forKey: "bank")
            try it.account.list(forKey: "steps").append(try it.child.make("Step", ["name": "x"]))
            try note.setObject(it.account, forKey: "about")
            try present.set(["c": 9])
            switch way {
            case .merge: try it.merge()
            case .save: try it.child.save()
            case .refresh: try it.child.refresh(it.account, mergeChanges: true)
            }
            #expect(it.account.managedObjectContext == nil && !it.account.isDeleted)
            #expect(try it.account.value(forKey: "b") == 3)
            #expect(it.child.registeredObject(for: it.id) === present)
            #expect(try present.values("b", "c", "visits") == [3, 9, 2])
            #expect(try tag.objects(forKey: "accounts").objects == [present])
            #expect(try present.names("tags") == ["t"] && present.names("steps") == ["x"])
            #expect(try present.object(forKey: "bank") === bank)
            #expect(try note.object(forKey: "about") === present)
            try it.child.save()
            try it.parent.save()
            try ledger.inContext { other throws in
                let account = try other.read(it.id)
                #expect(try account.values("b", "c", "visits") == [3, 9, 2])
                #expect(try account.names("tags") == ["t"] && account.names("steps") == ["x"])
                #expect(try account.object(forKey: "bank")?.objectID == bank.objectID)
            }
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Way.allCases)
    func `releases an object of another entity`(way: Way) throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { parent throws in
            let child = parent.newChildContext()
            let premium = try child.make("Premium", ["code": "k", "b": 2, "perk": "p"])
            let tag = try child.make("Tag", ["name": "t"])
            try child.save()
            let notification = try parent.notificationOfSave()
            try premium.set(["b": 3, "perk": "q"])
            try premium.objects(forKey: "tags").insert(tag)
            switch way {
            case .merge: try child.mergeChanges(fromContextDidSave: notification)
            case .save: try child.save()
            case .refresh: try child.refresh(premium, mergeChanges: true)
            }
            #expect(premium.managedObjectContext == nil)
            let account = try child.read(id)
            #expect(try account.values("a", "b") == [1, 3] && account.names("tags") == ["t"])
            try child.save()
            try parent.save()
        }
        #expect(try ledger.stored(id, "b") == [3] && ledger.accountCount() == 1)
    }

    @Test(arguments: Way.allCases, [false, true])
    func `may replace several, and gets the unsaved changes of each`(
        way: Way, isPresent: Bool
    ) throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { parent throws in
            let child = parent.newChildContext()
            let present = isPresent ? try child.read(id) : nil
            let all = try (2...3).map {
                try child.make("Account", ["code": "k", "b": .integer($0)])
            }
            try child.save()
            let notification = try parent.notificationOfSave()
            try all[0].set(["c": 5])
            try all[1].set(["level": 6, "start": 1])
            try all[1].setObject(try child.make("Access", ["name": "x"]), forKey: "access")
            switch way {
            case .merge: try child.mergeChanges(fromContextDidSave: notification)
            case .save: try child.save()
            case .refresh: try child.refresh(all[0], mergeChanges: true)
            }
            let left = all.filter { $0.managedObjectContext != nil }
            #expect(left.count == (isPresent ? 0 : 1))
            let account = try #require(left.first ?? present)
            #expect(account.objectID == id && child.registeredObject(for: id) === account)
            #expect(try account.values("c", "level", "start") == [5, 6, 1])
            #expect(try account.target("access") == "x")
            try child.save()
            try parent.save()
            try ledger.inContext { other throws in
                let account = try other.read(id)
                #expect(try account.values("c", "level", "start") == [5, 6, 1])
                #expect(try account.target("access") == "x")
            }
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test func `the surviving record is deleted if a child has deleted the former one`() throws {
        for isUsing in [false, true] {
            try rename(using: isUsing) { it in
                it.child.delete(it.account)
                it.child.processPendingChanges()
                try it.child.save()
                try it.parent.save()
                #expect(try !ledger.exists(it.id) && ledger.accountCount() == 0)
            }
        }
    }

    @Test func `becomes the surviving record in a grandchild too`() throws {
        try rename { it in
            let grandchild = it.child.newChildContext()
            let account = try grandchild.read(it.former)
            try account.set(["c": 7])
            try it.merge()
            try grandchild.save()
            #expect(account.objectID == it.id)
            #expect(try it.account.values("b", "c") == [2, 7])
            try it.child.save()
            try it.parent.save()
            #expect(try ledger.stored(it.id, "c") == [7])
        }
    }

    @Test func `is not deleted by an undo of the child's insertion`() throws {
        for isMerging in [true, false] {
            let stack = UndoStack()
            try rename(with: { $0.managedObjectContext?.undoManager = stack }) { it in
                if isMerging {
                    try it.merge()
                } else {
                    try it.account.set(["b": 3])
                    try it.child.save()
                }
                while stack.canUndo { it.child.undo() }
                #expect(!it.account.isDeleted && it.child.insertedObjects.isEmpty)
                try it.child.save()
                try it.parent.save()
                #expect(try ledger.exists(it.id))
                it.parent.delete(try it.parent.read(it.id))
                try it.parent.save()
            }
        }
    }

    @Test func `is an error if the parent does not know it any more`() throws {
        try rename { it in
            it.parent.reset()
            try it.account.set(["b": 3])
            let error = #expect(throws: SaveConflictError.self) { try it.child.save() }
            #expect(error?.objectIDs == [it.former] && it.account.managedObjectContext != nil)
        }
    }

    @Test func `recreated by an undo is a conflict until the child merges the undo`() throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext { parent throws in
            parent.undoManager = UndoStack()
            let child = parent.newChildContext()
            let (above, below) = (try parent.read(id), try child.read(id))
            parent.delete(above)
            try parent.save()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: parent)
            parent.undo()
            #expect(above.objectID != id)
            try below.set(["b": 2])
            #expect(throws: SaveConflictError.self) { try child.save() }
            try child.mergeChanges(from: try #require(log.all.last))
            #expect(below.objectID == above.objectID)
            #expect(child.registeredObject(for: above.objectID) === below)
            try child.save()
            #expect(try above.values("a", "b") == [1, 2])
            try parent.save()
            #expect(try ledger.stored(above.objectID, "a", "b") == [1, 2])
        }
    }

    @Test func `forms no cycle if an app merges renames in a circle`() throws {
        let (a, b) = (try ledger.account(["a": 1]), try ledger.account(["a": 2]))
        try ledger.inContext { context throws in
            context.undoManager = UndoStack()
            let all = [try context.read(a), try context.read(b)]
            for names in [[a: b, b: a], [a: a], [a: b], [b: a]] {
                var changes = ObjectIDChanges()
                changes.renamed = names
                try context.mergeChanges(from: changes)
            }
            try all.first { $0.managedObjectContext != nil }?.set(["b": 5])
            context.processPendingChanges()
            context.undo()
            #expect(!context.registeredObjects.isEmpty)
        }
    }

    /// Keeps an object; used on the queue of a child only.
    private final class Held: @unchecked Sendable { var object: ManagedObject? }

    @Test func `becomes the surviving record in all contexts that merge automatically`()
        async throws
    {
        let id = try ledger.account(["code": "k", "a": 1])
        let parent = ledger.container.newBackgroundContext()
        let child = BackgroundContext(parent: parent)
        let grandchild = BackgroundContext(parent: child)
        let held = [Held(), Held()]
        try await child.perform { context in
            context.automaticallyMergesChangesFromParent = true
            held[0].object = try context.make("Account", ["code": "k", "b": 2])
            try context.save()
        }
        try await grandchild.perform { context in
            context.automaticallyMergesChangesFromParent = true
            let request = FetchRequest<ManagedObject>(entityName: "Account")
            held[1].object = try context.fetch(request).first { $0["b"] == 2 }
            try held[1].object?.set(["c": 3])
        }
        try await parent.perform { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        for (context, held) in zip([child, grandchild], held) {
            let (present, values) = try await context.perform { _ in
                let object = try #require(held.object)
                return (object.objectID, try object.values("a", "b"))
            }
            #expect(present == id && values == [1, 2])
        }
        try await grandchild.perform { try $0.save() }
        try await child.perform { try $0.save() }
        try await parent.perform { try $0.save() }
        #expect(try ledger.stored(id, "a", "b", "c") == [1, 2, 3])
        for (context, held) in zip([child, grandchild], held) {
            try await context.perform { _ in held.object = nil }
        }
    }
}

extension ManagedObjectContext {
    /// Saves and returns the notification of the save.
    fileprivate func notificationOfSave() throws -> Notification {
        nonisolated(unsafe) var notification: Notification?
        let token = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.didSave, object: self, queue: nil
        ) { notification = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try save()
        return try #require(notification)
    }
}
