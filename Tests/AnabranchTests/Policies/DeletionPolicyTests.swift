import Anabranch
import AnabranchStore
import Foundation
import Testing

/// Tests of objects that the context, the store or both have deleted.
@Suite struct `A merge policy and deleted objects` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test(arguments: [Policy.storeTrump, .rollback])
    func `releases objects that the store has deleted`(policy: Policy) throws {
        let id = try ledger.account(["a": 1])
        let other = try ledger.account(["a": 1])
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            let note = try context.make("Note", ["name": "n"])
            try note.setObject(account, forKey: "about")
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            try account.set(["a": 2])
            try context.read(other).set(["a": 2])
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            try context.save()
            #expect(account.isDeleted && account.managedObjectContext == nil)
            #expect(context.registeredObject(for: id) == nil && !context.hasChanges)
            #expect(log.all.flatMap(\.deleted) == [id])
            #expect(try note.object(forKey: "about") == nil)
        }
        #expect(try !ledger.exists(id))
        #expect(try ledger.stored(other, "a") == [2])
    }

    @Test(arguments: [Policy.objectTrump, .overwrite])
    func `makes a new record of what the store has deleted and the context changed`(
        policy: Policy
    ) throws {
        let id = try ledger.account(["a": 1, "b": 1, "start": 3, "end": 4])
        try ledger.elsewhere { context in
            let account = try context.read(id)
            let tags = account.objects
            for name in ["s", "t"] {
                try tags("tags").insert(try context.make("Tag", ["name": .string(name)]))
                try account.list(forKey: "steps").append(
                    try context.make("Step", ["name": .string(name)]))
            }
            try account.setObject(try context.make("Bank", ["name": "B"]), forKey: "bank")
            try account.setObject(try context.make("Access", ["name": "x"]), forKey: "access")
            for name in ["n", "m"] {
                try context.make("Note", ["name": .string(name)]).setObject(
                    account, forKey: "about")
            }
        }
        let new = try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            let note = try context.named("n", "Note")
            #expect(try note.object(forKey: "about") === account)
            #expect(try account.names("tags") == ["s", "t"])
            #expect(try account.target("access") == "x")
            try ledger.elsewhere { other in
                // Objects that the cascade would delete stay.
                let account = try other.read(id)
                try account.list(forKey: "steps").removeAll()
                other.delete(account)
            }
            try account.set(["a": 2])
            let added = try context.make("Step", ["name": "new"])
            try account.list(forKey: "steps").append(added)
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try context.save()
            let new = account.objectID
            #expect(new != id && log.all.map(\.renamed) == [[id: new]])
            #expect(log.all.first.map { Array($0.inserted) }?.contains(new) == true)
            #expect(!account.isDeleted && context.registeredObject(for: new) === account)
            #expect(context.registeredObject(for: id) == nil && !context.hasChanges)
            #expect(try note.object(forKey: "about") === account)
            return new
        }
        #expect(try !ledger.exists(id))
        #expect(try ledger.stored(new, "a", "b", "start", "end") == [2, 1, 3, 4])
        try ledger.inContext { context throws in
            let account = try context.read(new)
            #expect(try account.names("tags") == ["s", "t"])
            #expect(try account.names("steps").last == "new")
            #expect(try account.target("bank") == "B" && account.target("access") == "x")
            // One object was registered, and the store has found the second.
            for name in ["n", "m"] {
                #expect(try context.named(name, "Note").object(forKey: "about") === account)
            }
        }
    }

    @Test func `brings a parent and its child back together`() throws {
        let (id, step) = try ledger.inContext { context throws in
            let account = try context.make("Account", ["a": 1])
            let step = try context.make("Step", ["name": "s"])
            try account.list(forKey: "steps").append(step)
            try account.list(forKey: "steps").append(try context.make("Step", ["name": "t"]))
            try context.save()
            return (account.objectID, step.objectID)
        }
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let account = try context.read(id)
            let child = try context.read(step)
            #expect(try account.names("steps") == ["s", "t"])
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            try account.set(["a": 2])
            try child.set(["name": "s2"])
            try context.save()
            #expect(try child.object(forKey: "account") === account)
            // The second one was deleted with its parent, and no context has changed it.
            #expect(try account.names("steps") == ["s2"])
            let ids = [account.objectID, child.objectID]
            try ledger.inContext { other throws in
                #expect(try other.read(ids[0]).names("steps") == ["s2"])
                #expect(try other.read(ids[1]).object(forKey: "account")?.objectID == ids[0])
            }
        }
    }

    @Test func `keeps a moved reference away from a restored target`() throws {
        let id = try ledger.account(["name": "first"])
        let second = try ledger.account(["name": "second"])
        try ledger.elsewhere {
            for name in ["n", "m"] {
                try $0.make("Note", ["name": .string(name)])
                    .setObject(try $0.read(id), forKey: "about")
            }
        }
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let account = try context.read(id)
            let notes = try ["n", "m"].map { try context.named($0, "Note") }
            for note in notes { #expect(try note.target("about") == "first") }
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            try account.set(["a": 2])
            try notes[0].setObject(try context.read(second), forKey: "about")
            try notes[1].setObject(nil, forKey: "about")
            try context.save()
        }
        try ledger.inContext { context throws in
            #expect(try context.named("n", "Note").target("about") == "second")
            #expect(try context.named("m", "Note").target("about") == nil)
        }
    }

    @Test(arguments: Policy.resolving)
    func `decides about what was deleted here and changed in the store`(policy: Policy) throws {
        let id = try ledger.account(["a": 1, "b": 1])
        try ledger.elsewhere {
            try $0.make("Note", ["name": "n"]).setObject(try $0.read(id), forKey: "about")
            try $0.make("Note", ["name": "m"]).setObject(try $0.read(id), forKey: "about")
        }
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            let notes = try ["n", "m"].map { try context.named($0, "Note") }
            for note in notes { #expect(try note.object(forKey: "about") === account) }
            try account.set(["b": 5])
            context.delete(account)
            context.processPendingChanges()
            try notes[0].set(["name": "n2"])
            #expect(try notes[0].object(forKey: "about") == nil)
            try ledger.elsewhere { try $0.read(id).set(["a": 2]) }
            try context.save()
            #expect(!context.hasChanges)
            guard !policy.isOfContext else {
                #expect(account.managedObjectContext == nil)
                return
            }
            #expect(!account.isDeleted && account.managedObjectContext === context)
            #expect(try account.values("a", "b") == [2, 1] && account.changedValues().isEmpty)
            for note in notes { #expect(try note.object(forKey: "about") === account) }
            #expect(try notes[0].givenName == "n2")
        }
        #expect(try ledger.exists(id) == !policy.isOfContext)
    }

    @Test(arguments: Policy.allCases)
    func `treats an object deleted at both as deleted`(policy: Policy) throws {
        let id = try ledger.account(["a": 1])
        let other = try ledger.account(["a": 1])
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            context.delete(account)
            try context.read(other).set(["a": 2])
            try ledger.elsewhere { $0.delete(try $0.read(id)) }
            guard policy != .error else {
                let error = #expect(throws: SaveConflictError.self) { try context.save() }
                #expect(error?.mergeConflicts.first?.isDeletedInContext == true)
                let conflict = try #require(error?.mergeConflicts.first)
                #expect(conflict.isDeleted && conflict.newVersion == 0)
                #expect(conflict.persistedSnapshot == nil && conflict.oldVersion != 0)
                #expect(conflict.objectSnapshot["a"] == 1)
                return #expect(context.deletedObjects == [account])
            }
            try context.save()
            #expect(!context.hasChanges && account.managedObjectContext == nil)
            #expect(try ledger.stored(other, "a") == [2])
        }
    }

    @Test(arguments: Policy.resolving)
    func `settles a link to a fault without a row`(policy: Policy) throws {
        let id = try ledger.account(["name": "gone"])
        try ledger.elsewhere { $0.delete(try $0.read(id)) }
        try ledger.inContext(policy.policy) { context throws in
            let fault = context.object(with: id)
            let tag = try context.make("Tag", ["name": "t"])
            try tag.objects(forKey: "accounts").insert(fault)
            try context.save()
            #expect(fault.isDeleted && !context.hasChanges)
            #expect(try tag.names("accounts").isEmpty)
        }
        #expect(try ledger.accountCount() == 0)
    }
}
