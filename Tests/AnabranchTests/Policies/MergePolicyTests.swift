import Anabranch
import AnabranchStore
import Foundation
import Testing

/// Tests of a row that another context has changed since it was read.
@Suite struct `A merge policy` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test(
        arguments: [
            (Policy.storeTrump, [2, 2, 3]), (.objectTrump, [2, 3, 3]), (.overwrite, [1, 3, 3]),
            (.rollback, [2, 2, 1]),
        ] as [(Policy, [Int64])])
    func `decides by property between what context and store have changed`(
        policy: Policy, expected: [Int64]
    ) throws {
        let id = try ledger.account(["a": 1, "b": 1, "c": 1])
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["a": 2, "b": 2]) }
            try account.set(["b": 3, "c": 3])
            try context.save()
            #expect(try account.values("a", "b", "c") == expected.map { .integer($0) })
            #expect(!context.hasChanges && !account.isUpdated)
            #expect(try account.changedValues().isEmpty)
            #expect(try ledger.stored(id, "a", "b", "c") == expected.map { .integer($0) })
            try account.set(["a": 9])
            try context.save()
        }
        #expect(try ledger.stored(id, "b", "c") == expected.dropFirst().map { .integer($0) })
        #expect(try ledger.stored(id, "a") == [9])
    }

    @Test func `the error policy fails the save with the conflict and keeps all changes`()
        throws
    {
        let id = try ledger.account(["a": 1, "b": 1, "c": 1])
        try ledger.inContext { context throws in
            #expect(context.mergePolicy as? StandardMergePolicy == .error)
            let account = try context.read(id)
            let tag = try context.make("Tag", ["name": "t"])
            try account.objects(forKey: "tags").insert(tag)
            try ledger.elsewhere { try $0.read(id).set(["a": 2, "b": 2]) }
            try account.set(["b": 3, "c": 3])
            for _ in 0..<2 {
                let error = #expect(throws: SaveConflictError.self) { try context.save() }
                #expect(error?.code == .mergeConflict && error?.objectIDs == [id])
                let conflict = try #require(error?.mergeConflicts.first)
                #expect(error?.mergeConflicts.count == 1 && !conflict.isDeleted)
                #expect(conflict.objectSnapshot["b"] == 1 && conflict.persistedSnapshot?["b"] == 2)
                #expect(conflict.changedValues == ["b": 3, "c": 3] && conflict.values["a"] == 1)
                #expect(conflict.oldVersion != conflict.newVersion && conflict.newVersion != 0)
            }
            #expect(try account.changedValues() == ["b": 3, "c": 3])
            #expect(context.insertedObjects == [tag] && context.updatedObjects == [account])
        }
        #expect(try ledger.stored(id, "a", "b", "c") == [2, 2, 1])
    }

    @Test func `sees attributes and to-ones in a conflict, and nothing else`() throws {
        let (id, bank) = try ledger.inContext { context throws in
            let account = try context.make("Account", ["a": 1])
            let bank = try context.make("Bank", ["name": "B"])
            try account.setObject(bank, forKey: "bank")
            try account.objects(forKey: "tags").insert(try context.make("Tag", ["name": "t"]))
            try context.save()
            return (account.objectID, bank.objectID)
        }
        try ledger.inContext { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).setObject(nil, forKey: "bank") }
            try account.set(["a": 2])
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            let conflict = try #require(error?.mergeConflicts.first)
            #expect(conflict.objectSnapshot["bank"] == .reference(try bank.recordID))
            #expect(conflict.persistedSnapshot?["bank"] == .null)
            for snapshot in [conflict.objectSnapshot, conflict.persistedSnapshot ?? [:]] {
                #expect(snapshot["tags"] == nil && snapshot["steps"] == nil)
                #expect(snapshot["access"] == nil && snapshot["draft"] == nil)
                #expect(snapshot.count == 13)
            }
        }
    }

    @Test(arguments: Policy.resolving)
    func `adds up counters, and keeps what its rule keeps`(policy: Policy) throws {
        let id = try ledger.account(["visits": 10, "best": 5])
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere {
                try $0.read(id).set(["visits": 13, "best": 9, "opened": 1, "a": 1])
            }
            try account.set(["visits": 11, "best": 7, "opened": 2])
            try context.save()
        }
        let visits: PropertyValue = policy == .rollback ? 13 : 14
        #expect(try ledger.stored(id, "visits", "best", "opened") == [visits, 9, 1])
    }

    @Test(arguments: Policy.resolving)
    func `takes a group of attributes for one value`(policy: Policy) throws {
        let id = try ledger.account(["start": 1, "end": 2])
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["start": 5]) }
            try account.set(["end": 9])
            try context.save()
            let expected: [PropertyValue] = policy.isOfContext ? [1, 9] : [5, 2]
            #expect(try account.values("start", "end") == expected)
            #expect(try ledger.stored(id, "start", "end") == expected)
        }
    }

    @Test(arguments: Policy.resolving)
    func `moves references and their inverses as the decision says`(policy: Policy) throws {
        let id = try ledger.account(["name": "x"])
        try ledger.elsewhere { context in
            for name in ["old", "here", "there"] {
                _ = try context.make("Bank", ["name": .string(name)])
            }
            try context.read(id).setObject(try context.named("old", "Bank"), forKey: "bank")
        }
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            let banks = try ["old", "here", "there"].map { try context.named($0, "Bank") }
            for bank in banks { _ = try bank.objects(forKey: "accounts").count }
            try ledger.elsewhere {
                try $0.read(id).setObject(try $0.named("there", "Bank"), forKey: "bank")
            }
            try account.setObject(banks[1], forKey: "bank")
            try context.save()
            let expected = policy.isOfContext ? "here" : "there"
            #expect(try account.target("bank") == expected)
            for bank in banks {
                let isIt = try bank.givenName == expected
                #expect(try bank.names("accounts") == (isIt ? ["x"] : []))
            }
            try ledger.inContext { other throws in
                #expect(try other.read(id).target("bank") == expected)
            }
        }
    }

    @Test(arguments: Policy.resolving)
    func `unites links and lists, or drops those of an object that is rolled back`(
        policy: Policy
    ) throws {
        let id = try ledger.account(["name": "x"])
        try ledger.elsewhere { context in
            let account = try context.read(id)
            for name in ["r", "s", "t", "u"] {
                let tag = try context.make("Tag", ["name": .string(name)])
                if name < "t" { try account.objects(forKey: "tags").insert(tag) }
                let step = try context.make("Step", ["name": .string(name)])
                try account.list(forKey: "steps").append(step)
            }
        }
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            #expect(try account.names("tags") == ["r", "s"])
            try ledger.elsewhere { other in
                let account = try other.read(id)
                try account.set(["a": 2])
                try account.objects(forKey: "tags").insert(try other.named("u", "Tag"))
                try account.objects(forKey: "tags").remove(try other.named("r", "Tag"))
            }
            try account.set(["a": 3])
            let tag = try context.named("t", "Tag")
            try account.objects(forKey: "tags").insert(tag)
            try account.objects(forKey: "tags").remove(try context.named("s", "Tag"))
            try account.list(forKey: "steps").move(from: 3, to: 0)
            try context.save()
            let tags = policy == .rollback ? ["s", "u"] : ["t", "u"]
            #expect(try account.names("tags") == tags)
            #expect(try tag.names("accounts") == (policy == .rollback ? [] : ["x"]))
            #expect(try ledger.inContext { try $0.read(id).names("tags") } == tags)
            let steps = try ledger.inContext { try $0.read(id).names("steps") }
            #expect(steps == (policy == .rollback ? ["r", "s", "t", "u"] : ["u", "r", "s", "t"]))
        }
    }

    @Test func `the overwrite policy writes every register, also those of concurrent writes`()
        throws
    {
        let id = try ledger.account(["a": 1, "b": 1, "best": 4, "visits": 3])
        try ledger.inContext(.overwrite) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["a": 2]) }
            try account.set(["b": 2])
            let before = try ledger.coordinator.currentHistoryPosition()
            try context.save()
            let sets = try ledger.coordinator.changeSets(after: before)
            #expect(sets.count == 1)
        }
        #expect(try ledger.stored(id, "a", "b", "best", "visits") == [1, 2, 4, 3])
    }

    @Test(arguments: Policy.resolving)
    func `is followed in one save, whatever else is in it`(policy: Policy) throws {
        let ids = try (0..<20).map { try ledger.account(["a": .integer($0)]) }
        let before = try ledger.coordinator.currentHistoryPosition()
        try ledger.inContext(policy.policy) { context throws in
            let accounts = try ids.map(context.read)
            try ledger.elsewhere { other in
                for id in ids.prefix(10) { try other.read(id).set(["b": 1]) }
            }
            for account in accounts { try account.set(["b": 2]) }
            _ = try context.make("Tag", ["name": "new"])
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            let reads = ledger.readStatements
            try context.save()
            #expect(ledger.readStatements == reads + 1)
            #expect(log.all.count == 1 && log.all[0].inserted.count == 1)
            #expect(
                log.all[0].updated.count
                    == (policy.isOfContext ? 20 : policy == .rollback ? 10 : 20))
        }
        #expect(try ledger.coordinator.changeSets(after: before).count == 2)
    }
}
