import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// Fetches that look for one value of an attribute in a context with unsaved changes.
@Suite struct `Unsaved objects by their keys` {
    @Test func `finding by a key compares no other changed object`() throws {
        let ledger = try Ledger()
        for number in 0..<10 { try ledger.account(["code": .string("stored \(number)")]) }
        try ledger.inContext { context throws in
            let before = context.comparedCount
            for number in 0..<1_000 {
                let code = "new \(number / 2)"
                let found = try context.accounts(code: code)
                #expect(found.count == number % 2)
                if found.isEmpty { _ = try context.make("Account", ["code": .string(code)]) }
                try found.first?.set(["a": .integer(Int64(number))])
            }
            #expect(try context.accounts(code: "stored 3").count == 1)
            #expect(
                try context.count(for: FetchRequest<ManagedObject>.accounts(code: "new 7")) == 1)
            #expect(
                try context.objectIDs(for: FetchRequest<ManagedObject>.accounts(code: "new 7"))
                    .count == 1)
            // One for each object that was found.
            #expect(context.comparedCount - before == 502)
            try context.save()
        }
        #expect(try ledger.accountCount() == 510)
    }

    @Test func `updates and deletions are found by the values that they have now`() throws {
        let ledger = try Ledger()
        let ids = try (0..<4).map { try ledger.account(["code": .string("\($0)"), "a": 1]) }
        try ledger.inContext { context throws in
            let accounts = try ids.map(context.read)
            #expect(try context.accounts(code: "0") == [accounts[0]])
            try accounts[0].set(["code": "x"])
            try accounts[1].set(["a": 2])
            context.delete(accounts[2])
            #expect(try context.accounts(code: "0").isEmpty)
            #expect(try context.accounts(code: "x") == [accounts[0]])
            #expect(try context.accounts(code: "2").isEmpty)
            // Other writes of an object in the tables are writes as before.
            try accounts[0].set(["code": "y", "a": 7])
            #expect(try context.accounts(code: "x").isEmpty)
            #expect(try context.accounts(code: "y") == [accounts[0]])
            #expect(try accounts[0].changedValues() == ["code": "y", "a": 7])
            context.rollback()
            #expect(try context.accounts(code: "y").isEmpty)
            #expect(try context.accounts(code: "0") == [accounts[0]])
            #expect(try context.accounts(code: "2") == [accounts[2]])
        }
    }

    @Test func `an object does not outlive its save for the tables`() throws {
        let ledger = try Ledger()
        try ledger.inContext { context throws in
            weak var account: ManagedObject?
            try {
                let new = try context.make("Account", ["code": "k"])
                account = new
                #expect(try context.accounts(code: "k") == [new])
                try context.save()
            }()
            context.releaseUnused()
            #expect(account == nil)
        }
    }

    @Test func `a child context finds what its parent has not saved`() throws {
        let ledger = try Ledger()
        let parent = ledger.container.newBackgroundContext()
        try parent.performAndWait { context in
            for number in 0..<100 {
                _ = try context.make("Account", ["code": .string("\(number)")])
            }
        }
        try BackgroundContext(parent: parent).performAndWait { child in
            #expect(try child.accounts(code: "42").count == 1)
            try child.accounts(code: "42").first?.set(["code": "x"])
            #expect(try child.accounts(code: "42").isEmpty)
            #expect(try child.accounts(code: "x").count == 1)
            try child.save()
        }
        try parent.performAndWait { context throws in
            #expect(try context.accounts(code: "42").isEmpty)
            #expect(try context.accounts(code: "x").count == 1)
            #expect(context.comparedCount < 10)
        }
    }

    /// Every fetch by a key finds what the same condition finds that no table serves.
    @Test(arguments: TestLength.seeds(64))
    func `a fetch by a key finds what comparing all objects finds`(seed: UInt64) throws {
        var trial = KeyTrial(try Ledger(), seed: seed)
        try trial.run()
    }
}

extension FetchRequest where Object == ManagedObject {
    fileprivate static func accounts(code: String) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Account")
        request.predicate = try FetchPredicate("code == %@", code)
        return request
    }
}

extension ManagedObjectContext {
    fileprivate func accounts(code: String) throws -> [ManagedObject] {
        try fetch(FetchRequest<ManagedObject>.accounts(code: code))
    }
}

/// Random changes of a context, by its own code and by others.
private struct KeyTrial {
    let ledger: Ledger
    var random: SeededGenerator

    init(_ ledger: Ledger, seed: UInt64) {
        self.ledger = ledger
        random = SeededGenerator(seed: seed)
    }

    mutating func run() throws {
        let isObservable = random.oneIn(2)
        let hasUndo = random.oneIn(2)
        var own = self
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            context.isObservable = isObservable
            if hasUndo { context.undoManager = UndoStack() }
            for _ in 0..<80 {
                try own.change(context)
                if own.random.oneIn(2) { try own.check(context) }
                if own.random.oneIn(8) { context.processPendingChanges() }
            }
            try own.check(context)
        }
    }

    private mutating func value() -> Int64 { .random(in: 0..<5, using: &random) }

    private mutating func change(_ context: ManagedObjectContext) throws {
        let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Account"))
        let object = all.randomElement(using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0...2:
            let entity = random.oneIn(3) ? "Premium" : "Account"
            _ = try context.make(entity, ["a": .integer(value())])
        case 3...5: try object?.set(["a": random.oneIn(5) ? .null : .integer(value())])
        case 6: try object?.set(["b": .integer(value())])
        case 7: if let object { context.delete(object) }
        case 8: object?.setPrimitiveValue(.integer(value()), forKey: "a")
        case 9: try changeElsewhere(object)
        case 10:
            if random.oneIn(2) { context.undoManager?.undo() } else { context.undoManager?.redo() }
        case 11: if let object { try context.refresh(object, mergeChanges: random.oneIn(2)) }
        case 12:
            if random.oneIn(3) { context.rollback() } else { try context.save() }
        default:
            let steps = try object?.list(forKey: "steps")
            steps?.append(try context.make("Step", ["name": "s"]))
        }
    }

    /// Another context changes an object, which the context merges or not.
    private mutating func changeElsewhere(_ object: ManagedObject?) throws {
        guard let object, try object.objectID.isStored, let context = object.managedObjectContext
        else { return }
        let (id, number, isDeletion) = (object.objectID, value(), random.oneIn(3))
        let changes: ObjectIDChanges? = try ledger.inContext { other throws in
            guard let copy = try? other.read(id) else { return nil }
            if isDeletion { other.delete(copy) } else { try copy.set(["a": .integer(number)]) }
            try other.save()
            return ObjectIDChanges(
                inserted: [], updated: isDeletion ? [] : [id], deleted: isDeletion ? [id] : [])
        }
        if let changes, random.oneIn(2) { try context.mergeChanges(from: changes) }
    }

    private mutating func check(_ context: ManagedObjectContext) throws {
        let entity = random.oneIn(3) ? "Premium" : "Account"
        let number = value()
        func found(_ predicate: FetchPredicate) throws -> [ManagedObject] {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = predicate
            request.sorts = [FetchSort("b")]
            if number == 3 { request.fetchLimit = 2 }
            return try context.fetch(request)
        }
        let byKey = try found(FetchPredicate("a == %d", number))
        #expect(try byKey == found(FetchPredicate("a >= %d AND a <= %d", number, number)))
    }
}
