import Anabranch
import AnabranchStore
import Foundation
import Testing

/// Tests of objects with the same unique key.
@Suite struct `A merge policy and unique keys` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test func `the error policy fails the save and reports each key in conflict`() throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext { context throws in
            let new = try context.make("Account", ["code": "k", "email": "m", "a": 2])
            let premium = try context.make("Premium", ["email": "m"])
            for _ in 0..<2 {
                let error = #expect(throws: SaveConflictError.self) { try context.save() }
                #expect(error?.code == .constraintConflict && error?.mergeConflicts.isEmpty == true)
                let conflicts = (error?.constraintConflicts ?? []).sorted {
                    $0.constraint[0] < $1.constraint[0]
                }
                #expect(conflicts.map(\.constraint) == [["code"], ["email"]])
                let (code, email) = (conflicts[0], conflicts[1])
                #expect(code.constraintValues == ["code": "k"] && code.databaseObjectID == id)
                #expect(code.databaseSnapshot?["a"] == 1 && code.databaseSnapshot?["tags"] == nil)
                #expect(code.conflictingObjectIDs == [new.objectID])
                #expect(code.conflictingObjects[0].snapshot == nil)
                #expect(code.conflictingObjects[0].values["a"] == 2)
                #expect(email.databaseObjectID == nil && email.databaseSnapshot == nil)
                #expect(email.conflictingObjectIDs == [new.objectID, premium.objectID])
                #expect(
                    error.map { Set($0.objectIDs) } == [id, new.objectID, premium.objectID])
            }
            #expect(context.insertedObjects == [new, premium])
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test func `a conflict shows the values that were read and those to be saved`() throws {
        let holder = try ledger.account(["code": "k", "a": 1])
        let id = try ledger.account(["code": "l", "a": 2])
        try ledger.inContext { context throws in
            let account = try context.read(id)
            try account.set(["code": "k", "a": 3])
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            let conflict = try #require(error?.constraintConflicts.first)
            #expect(error?.constraintConflicts.count == 1)
            #expect(conflict.databaseObjectID == holder && conflict.databaseSnapshot?["a"] == 1)
            #expect(conflict.conflictingObjectIDs == [id])
            #expect(conflict.conflictingObjects[0].snapshot?["code"] == "l")
            #expect(conflict.conflictingObjects[0].snapshot?["a"] == 2)
            #expect(conflict.conflictingObjects[0].values["code"] == "k")
            #expect(try account.changedValues() == ["code": "k", "a": 3])
        }
    }

    @Test(
        arguments: [
            (Policy.storeTrump, [1, 2, 1, 7, 10]), (.objectTrump, [2, 2, 1, 7, 15]),
            (.overwrite, [2, 2, nil, 7, 15]), (.rollback, [1, nil, 1, 7, 10]),
        ] as [(Policy, [Int64?])])
    func `lets one record remain of a stored one and a new one`(
        policy: Policy, expected: [Int64?]
    ) throws {
        let id = try ledger.account(["code": "k", "a": 1, "c": 1, "visits": 10])
        try ledger.inContext(policy.policy) { context throws in
            let new = try context.make("Account", ["code": "k", "a": 2, "b": 2, "visits": 5])
            try new.setValue(.string("d"), forKey: "draft")
            let before = new.objectID
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try context.save()
            #expect(new.objectID == id && context.registeredObject(for: id) === new)
            #expect(context.registeredObject(for: before) == nil && !context.hasChanges)
            #expect(log.all.map(\.renamed) == [[before: id]] && log.all[0].inserted.isEmpty)
            #expect(!new.isInserted && new.managedObjectContext === context)
            #expect(try new.value(forKey: "draft") == "d")
            var values: [PropertyValue] = expected.map { $0.map { .integer($0) } ?? .null }
            // The store's counter stays, without the visits of the new object.
            if policy == .storeTrump { values[4] = 15 }
            #expect(try new.values("a", "b", "c", "level", "visits") == values)
            try new.set(["name": "later"])
            try context.save()
            #expect(try ledger.stored(id, "a", "b", "c", "level", "visits") == values)
        }
        #expect(try ledger.stored(id, "name", "code") == ["later", "k"])
        #expect(try ledger.accountCount() == 1)
    }

    @Test func `a default that was not set does not count`() throws {
        let id = try ledger.account(["code": "k", "level": 3])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            _ = try context.make("Account", ["code": "k"])
            try context.save()
            #expect(try ledger.stored(id, "level") == [3])
            _ = try context.make("Account", ["code": "k", "level": 7])
            try context.save()
            #expect(try ledger.stored(id, "level") == [7])
        }
    }

    @Test(arguments: ["Account", "Bank"])
    func `finds the holder of a key if the context has its ID with another entity`(
        entity: String
    ) throws {
        let id = try ledger.account(["code": "k", "a": 1], "Premium")
        let above = try #require(ledger.coordinator.model.entity(named: entity))
        let wrong = try #require(
            try ledger.coordinator.managedObjectID(for: id.recordID, entity: above))
        try ledger.inContext(.overwrite) { context throws in
            let impostor = context.object(with: wrong)
            let new = try context.make("Premium", ["code": "k", "a": 2])
            try context.save()
            #expect(new.objectID == id && impostor.managedObjectContext == nil)
        }
        #expect(try ledger.accountCount() == 1 && ledger.stored(id, "a") == [2])
    }

    @Test(arguments: Policy.resolving)
    func `points to the surviving record from all objects related to the other one`(
        policy: Policy
    ) throws {
        let id = try ledger.account(["code": "k", "name": "one"])
        try ledger.elsewhere { context in
            let account = try context.read(id)
            try account.list(forKey: "steps").append(try context.make("Step", ["name": "s"]))
            try account.objects(forKey: "tags").insert(try context.make("Tag", ["name": "t"]))
            try account.setObject(try context.make("Access", ["name": "stored"]), forKey: "access")
            try account.setObject(try context.make("Bank", ["name": "stored"]), forKey: "bank")
        }
        try ledger.inContext(policy.policy) { context throws in
            let tag = try context.named("t", "Tag")
            #expect(try tag.names("accounts") == ["one"])
            let new = try context.make("Account", ["code": "k"])
            let note = try context.make("Note", ["name": "n"])
            try note.setObject(new, forKey: "about")
            try new.objects(forKey: "tags").insert(tag)
            try new.objects(forKey: "tags").insert(try context.make("Tag", ["name": "u"]))
            for name in ["x", "y"] {
                try new.list(forKey: "steps").append(
                    try context.make("Step", ["name": .string(name)]))
            }
            try new.setObject(try context.make("Access", ["name": "new"]), forKey: "access")
            try new.setObject(try context.make("Bank", ["name": "new"]), forKey: "bank")
            try context.save()
            #expect(try note.object(forKey: "about") === new && new.objectID == id)
            #expect(try tag.objects(forKey: "accounts").objects == [new])
            try ledger.inContext { other throws in
                for account in [new, try other.read(id)] {
                    #expect(try account.names("tags") == ["t", "u"])
                    #expect(try account.names("steps") == ["s", "x", "y"])
                    let expected = policy.isOfContext ? "new" : "stored"
                    #expect(try account.target("access") == expected)
                    #expect(try account.target("bank") == expected)
                }
                #expect(try other.named("n", "Note").object(forKey: "about")?.objectID == id)
            }
        }
    }

    @Test(arguments: Policy.resolving)
    func `releases the new object if the other one is in use`(policy: Policy) throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            try account.set(["b": 5])
            let new = try context.make("Account", ["code": "k", "a": 2])
            let before = new.objectID
            let tag = try context.make("Tag", ["name": "t"])
            try tag.objects(forKey: "accounts").insert(new)
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try context.save()
            #expect(new.managedObjectContext == nil && !new.isDeleted)
            #expect(context.registeredObject(for: id) === account)
            #expect(log.all.map(\.renamed) == [[before: id]])
            #expect(try tag.objects(forKey: "accounts").objects == [account])
            #expect(
                try account.values("a", "b") == [
                    policy.isOfContext ? 2 : 1, policy == .overwrite ? .null : 5,
                ])
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Policy.resolving)
    func `takes new objects of one key as if saved one after the other`(policy: Policy) throws {
        try ledger.inContext(policy.policy) { context throws in
            let all = try (1...4).map {
                try context.make(
                    "Account", ["code": "k", "a": .integer($0), "b": $0 == 2 ? 2 : .null])
            }
            try context.save()
            #expect(all.dropFirst().allSatisfy { $0.managedObjectContext == nil })
            let expected: [PropertyValue] =
                switch policy {
                case .objectTrump: [4, 2]
                case .overwrite: [4, .null]
                case .storeTrump: [1, 2]
                default: [1, .null]
                }
            #expect(try all[0].values("a", "b") == expected)
            #expect(try ledger.stored(all[0].objectID, "a", "b") == expected)
        }
        #expect(try ledger.accountCount() == 1)
    }

    @Test(arguments: Policy.resolving)
    func `decides about an object that is changed to another's key`(policy: Policy) throws {
        let holder = try ledger.account(["code": "k", "a": 1, "name": "holder"])
        let id = try ledger.account(["code": "l", "a": 2, "name": "claimant"])
        try ledger.elsewhere { context in
            try context.read(holder).list(forKey: "steps").append(
                try context.make("Step", ["name": "s"]))
            try context.make("Note", ["name": "n"])
                .setObject(try context.read(holder), forKey: "about")
        }
        try ledger.inContext(policy.policy) { context throws in
            let account = try context.read(id)
            try account.set(["code": "k", "a": 3])
            try context.save()
            #expect(!context.hasChanges && account.objectID == id)
            let expected: [PropertyValue] =
                switch policy {
                case .storeTrump: ["l", 3]
                case .rollback: ["l", 2]
                default: ["k", 3]
                }
            #expect(try account.values("code", "a") == expected)
            #expect(try ledger.stored(id, "code", "a") == expected)
        }
        #expect(try ledger.exists(holder) == !policy.isOfContext)
        try ledger.inContext { context throws in
            let expected = policy.isOfContext ? "claimant" : "holder"
            // Objects that the cascade would have deleted point to the surviving account.
            #expect(try context.named("s", "Step").target("account") == expected)
            #expect(try context.named("n", "Note").target("about") == expected)
        }
    }

    @Test(arguments: Policy.resolving)
    func `follows a chain of keys to its end`(policy: Policy) throws {
        let first = try ledger.account(["code": "k", "name": "code"])
        let second = try ledger.account(["email": "m", "name": "email"])
        try ledger.inContext(policy.policy) { context throws in
            _ = try context.make("Account", ["code": "k", "email": "m", "a": 1])
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try ledger.exists(second) == !policy.isOfContext)
        let email: PropertyValue = policy.isOfContext ? "m" : .null
        #expect(try ledger.stored(first, "code", "email") == ["k", email])
    }

    @Test(arguments: Policy.resolving)
    func `reads many that hold keys at once`(policy: Policy) throws {
        for number in 0..<20 { try ledger.account(["code": .string("\(number)"), "a": 1]) }
        try ledger.inContext(policy.policy) { context throws in
            let tag = try context.make("Tag", ["name": "t"])
            let all = try (0..<30).map { number in
                let new = try context.make("Account", ["code": .string("\(number)"), "a": 2])
                try new.objects(forKey: "tags").insert(tag)
                return new
            }
            let before = try ledger.coordinator.currentHistoryPosition()
            let reads = ledger.readStatements
            try context.save()
            // One SELECT reads their rows, one their tags, and one the state of the latter.
            #expect(ledger.readStatements == reads + 3)
            #expect(try ledger.coordinator.changeSets(after: before).count == 1)
            #expect(try Set(tag.objects(forKey: "accounts")) == Set(all))
        }
        #expect(try ledger.accountCount() == 30)
    }

    @Test func `settles lost reads first, then keys`() throws {
        let id = try ledger.account(["code": "k", "a": 1])
        let other = try ledger.account(["a": 1])
        let seen = Seen()
        let policy = MergeClosure(
            { conflict, _ in
                seen.append("lock \(conflict.changedValues)")
                return .mergeByPropertyObjectTrump
            },
            constraints: { conflict, _ in
                seen.append("key \(conflict.constraint)")
                return .mergeByPropertyObjectTrump
            })
        try ledger.inContext(policy) { context throws in
            let account = try context.read(other)
            try ledger.elsewhere { try $0.read(other).set(["a": 2]) }
            try account.set(["a": 3])
            _ = try context.make("Account", ["code": "k", "a": 4])
            try context.save()
        }
        #expect(seen.all == ["lock [\"a\": 3]", "key [\"code\"]"])
        #expect(try ledger.stored(id, "a") + ledger.stored(other, "a") == [4, 3])
    }

    @Test func `merges an object that comes back with the record that took its key`() throws {
        let id = try ledger.account(["code": "k", "a": 1])
        let taken = try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { other in
                other.delete(try other.read(id))
                try other.save()
                _ = try other.make("Account", ["code": "k", "b": 9])
            }
            try account.set(["a": 2])
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try context.save()
            #expect(log.all.first?.renamed[id] == account.objectID)
            #expect(log.all.first?.renamed.count == 2)
            #expect(try account.values("a", "b") == [2, 9] && !context.hasChanges)
            return account.objectID
        }
        #expect(taken != id)
        #expect(try ledger.stored(taken, "a", "b", "code") == [2, 9, "k"])
        #expect(try ledger.accountCount() == 1)
    }

    @Test func `a merged object of a sub-entity passes on what both entities have`() throws {
        let id = try ledger.account(["code": "k", "a": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let new = try context.make("Premium", ["code": "k", "a": 2, "perk": "p"])
            let tag = try context.make("Tag", ["name": "t"])
            try tag.objects(forKey: "accounts").insert(new)
            try context.save()
            #expect(new.managedObjectContext == nil)
            #expect(try tag.objects(forKey: "accounts").objects.map(\.objectID) == [id])
        }
        #expect(try ledger.stored(id, "a") == [2])
        #expect(try ledger.accountCount() == 1)
    }
}
