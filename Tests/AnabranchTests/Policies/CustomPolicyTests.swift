import AnabranchStore
import Foundation
import Synchronization
import Testing

@testable import Anabranch

/// Records the calls of merge policies, in order.
final class Seen: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A policy that keeps the larger value. A deleted object stays deleted.
private struct Larger: MergePolicy {
    func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution {
        guard let stored = conflict.persistedSnapshot else { return .rollback }
        guard case .integer(let there)? = stored["a"],
            case .integer(let here)? = conflict.values["a"]
        else { throw Refusal() }
        return .mergeByPropertyStoreTrump.setting(["a": .integer(max(here, there))])
    }
}

private struct Refusal: Error {}

@Suite struct `A merge policy of the app's own` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test func `decides each object by the values that it gets`() throws {
        let ids = try (0..<3).map { try ledger.account(["a": .integer($0), "b": 1]) }
        try ledger.inContext(Larger()) { context throws in
            let accounts = try ids.map(context.read)
            try ledger.elsewhere { other in
                try other.read(ids[0]).set(["a": 10, "b": 2])
                try other.read(ids[1]).set(["a": 30, "b": 2])
                other.delete(try other.read(ids[2]))
            }
            for account in accounts { try account.set(["a": 20, "b": 3]) }
            try context.save()
            #expect(accounts[2].isDeleted)
        }
        #expect(try ledger.stored(ids[0], "a", "b") == [20, 2])
        #expect(try ledger.stored(ids[1], "a", "b") == [30, 2])
    }

    @Test func `may set references, and leaves keys a conflict unless it says otherwise`() throws {
        let id = try ledger.account(["code": "k"])
        let bank = try ledger.inContext { context throws in
            let bank = try context.make("Bank", ["name": "B"])
            try context.save()
            return bank.objectID
        }
        let record = try bank.recordID
        try ledger.inContext(Larger()) { context throws in
            _ = try context.make("Account", ["code": "k"])
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            #expect(error?.constraintConflicts.map(\.databaseObjectID) == [id])
            context.mergePolicy = MergeClosure(
                { _, _ in .unresolved },
                constraints: { _, _ in .rollback.setting(["bank": .reference(record), "a": 5]) })
            try context.save()
        }
        #expect(try ledger.stored(id, "a") == [5])
        #expect(try ledger.inContext { try $0.read(id).target("bank") } == "B")
    }

    @Test func `is shown stored values and no transient ones`() throws {
        let id = try ledger.account(["a": 1])
        try ledger.inContext { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["a": 2]) }
            try account.set(["b": 3, "draft": "x"])
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            let conflict = try #require(error?.mergeConflicts.first)
            #expect(conflict.changedValues == ["b": 3])
            #expect(conflict.values["b"] == 3 && conflict.values["draft"] == nil)
        }
    }

    @Test func `a policy that throws or leaves one conflict changes nothing`() throws {
        let id = try ledger.account(["a": 1, "start": 1])
        let gone = try ledger.account(["a": 1])
        let revised = try ledger.account(["a": 1])
        let key = try ledger.account(["code": "k"])
        try ledger.inContext { context throws in
            let account = try context.read(id)
            let lost = try context.read(gone)
            let dropped = try context.read(revised)
            let note = try context.make("Note", ["name": "n"])
            try note.setObject(lost, forKey: "about")
            let tag = try context.make("Tag", ["name": "t"])
            try account.objects(forKey: "tags").insert(tag)
            try lost.objects(forKey: "tags").insert(tag)
            let new = try context.make("Account", ["code": "k", "a": 4])
            try new.objects(forKey: "tags").insert(tag)
            try account.set(["a": 2])
            try lost.set(["a": 2])
            context.delete(dropped)
            try ledger.elsewhere { other in
                try other.read(id).set(["a": 3, "start": 2])
                other.delete(try other.read(gone))
                try other.read(revised).set(["a": 3])
            }
            func check() throws {
                #expect(try account.changedValues() == ["a": 2] && account.values("start") == [1])
                #expect(try lost.changedValues() == ["a": 2] && lost.objectID == gone)
                #expect(dropped.isDeleted && context.deletedObjects == [dropped])
                #expect(context.insertedObjects == [note, tag, new])
                #expect(context.updatedObjects == [account, lost])
                #expect(try note.object(forKey: "about") === lost)
                #expect(try Set(tag.objects(forKey: "accounts")) == [account, lost, new])
                #expect(try new.objects(forKey: "tags").objects == [tag])
                #expect(new.isInserted && new.managedObjectContext === context)
            }
            let hash = try ledger.coordinator.currentHistoryPosition()
            // The lost reads are settled; the duplicate key is refused.
            for way in [
                MergeResolution.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite,
                .rollback,
            ] {
                context.mergePolicy = MergeClosure(
                    { _, _ in way }, constraints: { _, _ in throw Refusal() })
                #expect(throws: Refusal.self) { try context.save() }
                try check()
                context.mergePolicy = MergeClosure(
                    { _, _ in way }, constraints: { _, _ in way.setting(["nothing": 1]) })
                #expect(throws: PropertyError.self) { try context.save() }
                try check()
                context.mergePolicy = MergeClosure { conflict, _ in
                    conflict.objectID == id ? .unresolved : way
                }
                let error = #expect(throws: SaveConflictError.self) { try context.save() }
                #expect(error?.mergeConflicts.map(\.objectID) == [id])
                try check()
            }
            #expect(try ledger.coordinator.currentHistoryPosition() == hash)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(lost.objectID != gone && new.objectID == key)
            #expect(try Set(tag.objects(forKey: "accounts")) == [account, lost, new])
        }
        #expect(try ledger.stored(id, "a", "start") == [2, 2])
    }

    @Test func `the holder of a key keeps its related objects if a policy throws`() throws {
        let holder = try ledger.account(["code": "k", "name": "holder"])
        let id = try ledger.account(["code": "l", "name": "claimant"])
        try ledger.elsewhere { context in
            for name in ["s", "t"] {
                try context.read(holder).list(forKey: "steps").append(
                    try context.make("Step", ["name": .string(name)]))
            }
        }
        try ledger.inContext { context throws in
            let account = try context.read(id)
            let steps = try ["s", "t"].map { try context.named($0, "Step") }
            for step in steps { #expect(try step.target("account") == "holder") }
            try account.set(["code": "k"])
            for way in [MergeResolution.mergeByPropertyObjectTrump, .rollback, .overwrite] {
                context.mergePolicy = MergeClosure(
                    { _, _ in way }, constraints: { _, _ in way.setting(["nothing": 1]) })
                #expect(throws: PropertyError.self) { try context.save() }
                #expect(try account.changedValues() == ["code": "k"])
                #expect(context.deletedObjects.isEmpty && context.updatedObjects == [account])
                for step in steps { #expect(try step.target("account") == "holder") }
                #expect(try context.read(holder).names("steps") == ["s", "t"])
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try account.names("steps") == ["s", "t"])
        }
    }

    /// The first round has deleted the holder and followed the deletion; the second one fails.
    @Test(arguments: [false, true], [false, true])
    func `objects that a deletion has reached are as before if a later round fails`(
        _ looksAtAll: Bool, _ canUndo: Bool
    ) throws {
        let holder = try ledger.account(["code": "k", "name": "holder"])
        let id = try ledger.account(["code": "l", "name": "claimant"])
        try ledger.elsewhere { context in
            let held = try context.read(holder)
            for (entity, key) in [("Step", "account"), ("Access", "account"), ("Note", "about")] {
                try context.make(entity, ["name": .string(entity)]).setObject(held, forKey: key)
            }
            let own = try context.make("Access", ["name": "own"])
            try own.setObject(try context.read(id), forKey: "account")
            try context.make("Tag", ["name": "Tag"]).objects(forKey: "accounts").insert(held)
        }
        try ledger.inContext { context throws in
            if looksAtAll { context.searchLimits = SearchLimits(always: 0, each: 0) }
            if canUndo { context.undoManager = UndoStack() }
            let account = try context.read(id)
            let others = try ["Step", "Access", "Note", "Tag"].map { try context.named($0, $0) }
            func check() throws {
                #expect(try account.changedValues() == ["code": "k"])
                #expect(context.deletedObjects.isEmpty && context.updatedObjects == [account])
                #expect(try others[0].target("account") == "holder")
                #expect(try others[1].target("account") == "holder")
                #expect(try others[2].target("about") == "holder")
                #expect(try others[3].names("accounts") == ["holder"])
                #expect(try context.read(holder).names("steps") == ["Step"])
                #expect(try account.target("access") == "own")
                #expect(others.allSatisfy { !$0.hasChanges })
            }
            try account.set(["code": "k"])
            let calls = Seen()
            context.mergePolicy = MergeClosure(
                { _, _ in throw Refusal() },
                constraints: { _, _ in
                    calls.append("keys")
                    try ledger.elsewhere { try $0.read(id).set(["a": 5]) }
                    return .overwrite
                })
            #expect(throws: Refusal.self) { try context.save() }
            #expect(calls.all == ["keys"])
            try check()
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try account.names("steps") == ["Step"])
            #expect(try others[2].target("about") == "claimant")
        }
        #expect(try !ledger.exists(holder))
    }

    @Test func `is asked again if a concurrent save arrives, but not for ever`() throws {
        let id = try ledger.account(["a": 0, "b": 0])
        let seen = Seen()
        let ledger = ledger
        let meddling = MergeClosure { conflict, _ in
            seen.append("\(conflict.persistedSnapshot?["a"] ?? .null)")
            if seen.all.count < 4 {
                try ledger.elsewhere { try $0.read(id).set(["a": .integer(Int64(seen.all.count))]) }
            }
            return .mergeByPropertyObjectTrump
        }
        try ledger.inContext(meddling) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["a": 100]) }
            try account.set(["b": 5])
            try context.save()
            #expect(try account.values("a", "b") == [3, 5])
        }
        #expect(seen.all == ["100", "1", "2", "3"])
        #expect(try ledger.stored(id, "a", "b") == [3, 5])
        let endless = MergeClosure { _, _ in
            try ledger.elsewhere { other in
                let account = try other.read(id)
                try account.set(["a": .integer(Int64.random(in: 0..<(.max)))])
            }
            return .overwrite
        }
        try ledger.inContext(endless) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["a": 1]) }
            try account.set(["b": 6])
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            #expect(error?.mergeConflicts.count == 1)
            #expect(try account.changedValues() == ["b": 6])
        }
    }

    @Test func `has what it decided checked against the model`() throws {
        let ledger = try Ledger()
        let id = try ledger.account(["a": 1])
        try ledger.inContext(
            MergeClosure { _, _ in .overwrite.setting(["a": "no number"]) }
        ) { context throws in
            let account = try context.read(id)
            try ledger.elsewhere { try $0.read(id).set(["a": 2]) }
            try account.set(["a": 3])
            #expect(throws: PropertyError.self) { try context.save() }
            #expect(try account.changedValues() == ["a": 3])
        }
    }

    @Test func `references among many objects to deleted records stay if a policy throws`()
        throws
    {
        let bankID = try ledger.inContext { context throws in
            let bank = try context.make("Bank", ["name": "B"])
            let account = try context.make("Account", ["name": "a"])
            try account.setObject(bank, forKey: "bank")
            _ = try context.make("Account", ["code": "k"])
            try context.save()
            return bank.objectID
        }
        try ledger.inContext { context throws in
            context.searchLimits = SearchLimits(always: 0, each: 0)
            let account = try context.named("a", "Account")
            let bank = try context.read(bankID)
            #expect(try account.object(forKey: "bank") === bank)
            try bank.set(["name": "C"])
            _ = try context.make("Account", ["code": "k"])
            try ledger.elsewhere { other in other.delete(try other.read(bankID)) }
            context.mergePolicy = MergeClosure(
                { _, _ in .rollback }, constraints: { _, _ in throw Refusal() })
            #expect(throws: Refusal.self) { try context.save() }
            #expect(context.updatedObjects == [bank])
            #expect(try account.object(forKey: "bank") === bank)
        }
    }
}

/// Tests of objects that are compared although they are unchanged.
@Suite struct `Detecting conflicts of unchanged objects` {
    let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test func `a save fails if the values that its policy saw have changed since`() throws {
        let limit = try ledger.account(["a": 100])
        let gone = try ledger.account(["a": 100])
        let id = try ledger.account(["a": 1])
        try ledger.inContext { context throws in
            let (read, lost, account) = (
                try context.read(limit), try context.read(gone), try context.read(id)
            )
            for object in [read, lost, account] { context.detectConflicts(for: object) }
            try account.set(["a": 90])
            try ledger.elsewhere {
                try $0.read(limit).set(["a": 50])
                $0.delete(try $0.read(gone))
            }
            for _ in 0..<2 {
                let error = #expect(throws: SaveConflictError.self) { try context.save() }
                #expect(error.map { Set($0.objectIDs) } == [limit, gone])
                #expect(error?.deletedObjectIDs == [gone])
                #expect(context.updatedObjects == [account])
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try read.values("a") == [50] && lost.isDeleted)
            // After the save nothing is compared any more.
            context.mergePolicy = .error
            try ledger.elsewhere { try $0.read(limit).set(["a": 40]) }
            try account.set(["a": 30])
            try context.save()
        }
        #expect(try ledger.stored(id, "a") == [30])
    }

    @Test(arguments: Policy.resolving)
    func `a conflict of an unchanged object is settled by the policy`(policy: Policy) throws {
        let limit = try ledger.account(["a": 100])
        let gone = try ledger.account(["a": 100])
        try ledger.inContext(policy.policy) { context throws in
            let (read, lost) = (try context.read(limit), try context.read(gone))
            context.detectConflicts(for: read)
            context.detectConflicts(for: lost)
            _ = try context.make("Tag", ["name": "t"])
            try ledger.elsewhere {
                try $0.read(limit).set(["a": 50])
                $0.delete(try $0.read(gone))
            }
            try context.save()
            // Only the policy that overwrites the store writes values that it has not changed.
            let isOverwritten = policy == .overwrite
            #expect(try read.values("a") == [isOverwritten ? 100 : 50])
            #expect(try ledger.stored(limit, "a") == [isOverwritten ? 100 : 50])
            #expect(lost.isDeleted == !isOverwritten)
            #expect(!context.hasChanges)
        }
    }

    @Test func `ends with a rollback, and has nothing to compare of a fault`() throws {
        let (id, other) = (try ledger.account(["a": 1]), try ledger.account(["a": 1]))
        try ledger.inContext { context throws in
            let (account, fault) = (try context.read(id), context.object(with: other))
            context.detectConflicts(for: account)
            context.rollback()
            context.detectConflicts(for: fault)
            try ledger.elsewhere {
                try $0.read(id).set(["a": 2])
                try $0.read(other).set(["a": 2])
            }
            _ = try context.make("Tag", ["name": "t"])
            try context.save()
            try ledger.inContext { strange throws in
                strange.detectConflicts(for: account)
                #expect(throws: PropertyError.self) { try strange.save() }
            }
        }
    }
}
