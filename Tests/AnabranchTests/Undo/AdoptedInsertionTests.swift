import Anabranch
import Testing

/// Tests of an undo after a merge policy turned a new object into a record that another context had
/// inserted. No undo deletes that record.
@Suite struct `Undoing an insertion that became another's record` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    /// Inserts an account in a context with an undo manager. The save turns it into the stored
    /// account of the code `k`.
    private func adopt(
        _ policy: Policy, _ values: [String: PropertyValue] = [:],
        inOneEvent isOneEvent: Bool = true,
        with relate: (ManagedObject) throws -> Void = { _ in },
        _ body: (ManagedObjectContext, UndoStack, ManagedObject) throws -> Void
    ) throws {
        try ledger.inContext(policy.policy) { context throws in
            let stack = UndoStack()
            context.undoManager = stack
            let new = try context.make("Account", ["code": "k"])
            try new.set(values)
            try relate(new)
            if !isOneEvent { context.processPendingChanges() }
            try context.save()
            try body(context, stack, new)
        }
    }

    @Test(arguments: Policy.resolving, [false, true])
    func `leaves the record as the other context saved it, and inserts nothing`(
        policy: Policy, isOneEvent: Bool
    ) throws {
        let id = try ledger.account(["code": "k", "a": 1, "c": 5])
        try adopt(policy, ["a": 2, "b": 3], inOneEvent: isOneEvent) { context, stack, new in
            #expect(new.objectID == id)
            let saved = try new.values("a", "b", "c")
            for _ in 0..<2 {
                while stack.canUndo { context.undo() }
                #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
                #expect(new.objectID == id && new.managedObjectContext === context)
                #expect(try new.values("code", "a", "b", "c") == ["k", 1, .null, 5])
                try context.save()
                #expect(try ledger.stored(id, "code", "a", "b", "c") == ["k", 1, .null, 5])
                while stack.canRedo { context.redo() }
                #expect(try new.values("a", "b", "c") == saved)
                try context.save()
                #expect(try ledger.accountCount() == 1)
            }
        }
    }

    @Test func `leaves nothing to redo if it reverts nothing`() throws {
        try ledger.account(["code": "k", "a": 1])
        try adopt(.rollback, ["a": 2]) { context, stack, new in
            context.undo()
            #expect(!stack.canUndo && !stack.canRedo && !context.hasChanges)
        }
    }

    @Test(arguments: Policy.resolving, [false, true])
    func `removes the object's own relationships, and keeps those that another context saved`(
        policy: Policy, isOneEvent: Bool
    ) throws {
        let id = try ledger.account(["code": "k", "name": "one"])
        try ledger.elsewhere { context in
            let account = try context.read(id)
            try account.list(forKey: "steps").append(try context.make("Step", ["name": "s"]))
            for name in ["t", "u"] {
                let tag = try context.make("Tag", ["name": .string(name)])
                if name == "t" { try account.objects(forKey: "tags").insert(tag) }
            }
            try account.setObject(try context.make("Bank", ["name": "old"]), forKey: "bank")
            _ = try context.make("Bank", ["name": "new"])
            _ = try context.make("Note", ["name": "n"])
            _ = try context.make("Step", ["name": "x"])
        }
        func relate(_ new: ManagedObject) throws {
            let context = try #require(new.managedObjectContext)
            for name in ["t", "u"] {
                try new.objects(forKey: "tags").insert(try context.named(name, "Tag"))
            }
            try new.list(forKey: "steps").append(try context.named("x", "Step"))
            try new.setObject(try context.named("new", "Bank"), forKey: "bank")
            try context.named("n", "Note").setObject(new, forKey: "about")
        }
        try adopt(policy, inOneEvent: isOneEvent, with: relate) { context, stack, new in
            let bank = try new.target("bank")
            for _ in 0..<2 {
                #expect(try new.names("tags").sorted() == ["t", "u"])
                #expect(try new.names("steps") == ["s", "x"])
                while stack.canUndo { context.undo() }
                #expect(try new.names("tags") == ["t"] && new.names("steps") == ["s"])
                #expect(try new.target("bank") == "old")
                #expect(try context.named("n", "Note").object(forKey: "about") == nil)
                #expect(try context.named("u", "Tag").names("accounts").isEmpty)
                try context.save()
                try ledger.inContext { other throws in
                    let account = try other.read(id)
                    #expect(try account.names("tags") == ["t"] && account.names("steps") == ["s"])
                }
                while stack.canRedo { context.redo() }
                #expect(try new.target("bank") == bank)
                #expect(try context.named("n", "Note").object(forKey: "about") === new)
                try context.save()
            }
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Policy.resolving)
    func `leaves a record that several new objects have become`(policy: Policy) throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext(policy.policy) { context throws in
            let stack = UndoStack()
            context.undoManager = stack
            let all = try (2...4).map {
                try context.make("Account", ["code": "k", "a": .integer($0)])
            }
            try context.save()
            while stack.canUndo { context.undo() }
            #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
            #expect(all[0].objectID == id)
            try context.save()
        }
        #expect(try ledger.stored(id, "a") == [1] && ledger.accountCount() == 1)
    }
}
