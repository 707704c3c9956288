import Foundation
import Testing

@testable import Anabranch

/// A delegate that does nothing.
private final class Listener: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject
}

private struct Refusal: Error {}

extension ManagedObjectContext {
    /// Returns the results of all accounts, and their delegate.
    fileprivate func accounts(
        batch: Int
    ) throws -> (results: FetchedResultsController<ManagedObject>, listener: Listener) {
        var request = FetchRequest<ManagedObject>(entityName: "Account")
        request.sorts = [FetchSort("a")]
        request.fetchBatchSize = batch
        let results = FetchedResultsController(fetchRequest: request, context: self)
        let listener = Listener()
        results.delegate = listener
        try results.performFetch()
        return (results, listener)
    }
}

@Suite struct `Observers of a context with a policy that settles conflicts` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    // MARK: - Results

    @Test(arguments: [0, 2])
    func `results have a recreated object once, under its new ID`(batch: Int) throws {
        let id = try ledger.account(["a": 1, "b": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let account = try context.read(id)
            let (results, listener) = try context.accounts(batch: batch)
            try account.set(["b": 2])
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            try context.save()
            #expect(account.objectID != id)
            #expect(results.fetchedObjects.map { Array($0.objectIDs) } == [account.objectID])
            #expect(results.indexPath(forObject: account) == IndexPath(0, 0))
            withExtendedLifetime(listener) {}
        }
    }

    @Test(arguments: Policy.resolving, [0, 2])
    func `results have a new object that became another one once`(
        policy: Policy, batch: Int
    ) throws {
        try ledger.inContext(policy.policy) { context throws in
            let (results, listener) = try context.accounts(batch: batch)
            let id = try ledger.account(["a": 1, "code": "k"])
            let new = try context.make("Account", ["code": "k", "a": 5])
            context.processPendingChanges()
            #expect(results.fetchedObjects?.count == 1)
            try context.save()
            #expect(new.objectID == id)
            #expect(results.fetchedObjects.map { Array($0.objectIDs) } == [id])
            #expect(results.indexPath(forObject: new) == IndexPath(0, 0))
            withExtendedLifetime(listener) {}
        }
    }

    @Test(arguments: Policy.resolving)
    func `results of a key that is deleted and inserted in one save have it once`(
        policy: Policy
    ) throws {
        let id = try ledger.account(["a": 1, "code": "k"])
        try ledger.inContext(policy.policy) { context throws in
            let (results, listener) = try context.accounts(batch: 0)
            context.delete(try context.read(id))
            _ = try context.make("Account", ["code": "k", "a": 5])
            context.processPendingChanges()
            try ledger.elsewhere { try $0.read(id).set(["a": 3]) }
            try context.save()
            #expect(results.fetchedObjects?.count == 1)
            withExtendedLifetime(listener) {}
        }
        #expect(try ledger.accountCount() == 1)
    }

    // MARK: - Observers

    @Test(arguments: Policy.resolving)
    func `observers are notified of what a policy takes from the store`(policy: Policy) throws {
        let id = try ledger.account(["a": 1, "b": 1])
        try ledger.inContext(policy.policy) { context throws in
            context.isObservable = true
            let account = try context.read(id)
            try account.set(["a": 2])
            try ledger.elsewhere { try $0.read(id).set(["a": 3, "b": 3]) }
            let (a, b) = (Look { _ = account["a"] }, Look { _ = account["b"] })
            try context.save()
            #expect(a.isOutdated == (account["a"] != 2))
            #expect(b.isOutdated == (account["b"] != 1))
        }
    }

    @Test func `observers of an object that is recreated follow it`() throws {
        let id = try ledger.account(["a": 1, "b": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            context.isObservable = true
            let account = try context.read(id)
            let look = Look { _ = account["a"] }
            try account.set(["b": 2])
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            try context.save()
            #expect(look.isOutdated)
            let again = Look { _ = account["a"] }
            try account.set(["a": 7])
            #expect(again.isOutdated)
        }
    }

    // MARK: - Undo

    @Test func `undo finds what a policy has recreated`() throws {
        let id = try ledger.account(["a": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            context.undoManager = UndoStack()
            let lost = try context.read(id)
            let note = try context.make("Note", ["name": "n"])
            try note.setObject(lost, forKey: "about")
            try context.save()
            try lost.set(["a": 2])
            context.processPendingChanges()
            try note.setObject(nil, forKey: "about")
            context.processPendingChanges()
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            try context.save()
            #expect(lost.objectID != id)
            context.undo()
            #expect(try note.object(forKey: "about") === lost)
            context.undo()
            #expect(try lost.values("a") == [1])
            try context.save()
        }
    }

    @Test func `undo finds what a new object became`() throws {
        let id = try ledger.account(["a": 1, "code": "k"])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            context.undoManager = UndoStack()
            let note = try context.make("Note", ["name": "n"])
            let new = try context.make("Account", ["code": "k"])
            try note.setObject(new, forKey: "about")
            context.processPendingChanges()
            try note.setObject(nil, forKey: "about")
            try context.save()
            #expect(new.objectID == id)
            context.undo()
            #expect(try note.object(forKey: "about") === new)
        }
    }

    @Test func `undoing an insertion that became another context's record leaves the record`()
        throws
    {
        let id = try ledger.account(["a": 1, "code": "k"])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            context.undoManager = UndoStack()
            let new = try context.make("Account", ["code": "k", "b": 2])
            try context.save()
            #expect(new.objectID == id)
            context.undo()
            try context.save()
            #expect(!new.isDeleted)
        }
        #expect(try ledger.stored(id, "a", "b") == [1, .null] && ledger.accountCount() == 1)
    }

    @Test(arguments: Policy.resolving)
    func `undo keeps the values that a policy has merged from the store`(policy: Policy) throws {
        let id = try ledger.account(["a": 1, "b": 1])
        try ledger.inContext(policy.policy) { context throws in
            context.undoManager = UndoStack()
            let account = try context.read(id)
            try account.set(["a": 2])
            try ledger.elsewhere { try $0.read(id).set(["b": 3]) }
            try context.save()
            let kept = account["b"]
            context.undo()
            #expect(try account.values("a", "b") == [1, kept])
        }
    }

    @Test func `undo does not bring back a new object beside the one that it became`() throws {
        let id = try ledger.account(["a": 1, "code": "k"])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let held = try context.read(id)
            context.undoManager = UndoStack()
            let new = try context.make("Account", ["code": "k"])
            context.processPendingChanges()
            try new.set(["a": 2])
            try context.save()
            #expect(new.managedObjectContext == nil && held["a"] == 2)
            while context.undoManager?.canUndo == true {
                context.undo()
                #expect(context.insertedObjects.isEmpty)
                try context.save()
            }
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Policy.resolving)
    func `a policy that throws leaves what can be undone as it was`(policy: Policy) throws {
        let id = try ledger.account(["a": 1])
        let gone = try ledger.account(["a": 1])
        try ledger.account(["code": "k"])
        try ledger.inContext { context throws in
            let stack = UndoStack()
            context.undoManager = stack
            let (account, lost) = (try context.read(id), try context.read(gone))
            let tag = try context.make("Tag", ["name": "t"])
            for each in [account, lost] {
                try each.objects(forKey: "tags").insert(tag)
                try each.set(["a": 2])
            }
            context.processPendingChanges()
            let new = try context.make("Account", ["code": "k"])
            try new.objects(forKey: "tags").insert(tag)
            let note = try context.make("Note", ["name": "n"])
            try note.setObject(lost, forKey: "about")
            try ledger.elsewhere { other in
                try other.read(id).set(["a": 3])
                other.delete(try other.read(gone))
            }
            let way = try #require(policy.policy as? StandardMergePolicy).resolution
            context.mergePolicy = MergeClosure(
                { _, _ in way }, constraints: { _, _ in throw Refusal() })
            #expect(throws: Refusal.self) { try context.save() }
            func expectAll() throws {
                #expect(try Set(tag.objects(forKey: "accounts")) == [account, lost, new])
                #expect(try note.object(forKey: "about") === lost && account["a"] == 2)
            }
            try expectAll()
            context.undo()
            #expect(try Set(tag.objects(forKey: "accounts")) == [account, lost])
            context.undo()
            #expect(!context.hasChanges && !stack.canUndo)
            context.redo()
            context.redo()
            try expectAll()
        }
    }

    @Test func `objects that a policy has inserted before it throws are removed`() throws {
        let id = try ledger.account(["a": 1])
        try ledger.inContext { context throws in
            nonisolated(unsafe) var made: ManagedObject?
            context.mergePolicy = MergeClosure { _, context in
                made = try context.make("Bank", ["name": "B"])
                throw Refusal()
            }
            let account = try context.read(id)
            try account.set(["a": 2])
            try ledger.elsewhere { try $0.read(id).set(["a": 3]) }
            #expect(throws: Refusal.self) { try context.save() }
            let bank = try #require(made)
            #expect(bank.managedObjectContext == nil && !bank.hasChanges)
            #expect(context.updatedObjects == [account] && context.insertedObjects.isEmpty)
            #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Bank")).isEmpty)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
    }
}
