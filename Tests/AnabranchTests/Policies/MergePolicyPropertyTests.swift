import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// The reference model of an account, as plain values.
private struct ReferenceAccount: Equatable {
    var attributes: [String: Int64] = ["a": 0, "b": 0, "c": 0]
    var visits: Int64 = 0
    var span: [Int64] = [0, 0]
    var bank: Int?
    var tags: Set<Int> = []
    var isDeleted = false

    /// Returns whether the row differs, without the links.
    func hasOtherRow(_ base: ReferenceAccount) -> Bool {
        attributes != base.attributes || visits != base.visits || span != base.span
            || bank != base.bank
    }

    /// Returns the result of a save after two contexts have changed a base: the rules written as
    /// plainly as possible, one property at a time.
    static func merged(
        _ base: ReferenceAccount, here: ReferenceAccount, there: ReferenceAccount, _ policy: Policy
    ) -> ReferenceAccount {
        if here.isDeleted || there.isDeleted { return survivor(base, here, there, policy) }
        let isConflict = here.hasOtherRow(base) && there.hasOtherRow(base)
        if isConflict, policy == .rollback { return there }
        func pick<T: Equatable>(_ base: T, _ here: T, _ there: T) -> T {
            guard isConflict else { return here != base ? here : there }
            switch policy {
            case .overwrite: return here
            case .objectTrump: return here != base ? here : there
            default: return there != base ? there : here
            }
        }
        var merged = there
        for key in base.attributes.keys {
            merged.attributes[key] = pick(
                base.attributes[key], here.attributes[key], there.attributes[key])
        }
        merged.visits = there.visits + here.visits - base.visits
        merged.span = pick(base.span, here.span, there.span)
        merged.bank = pick(base.bank, here.bank, there.bank)
        merged.tags = there.tags.union(here.tags.subtracting(base.tags))
            .subtracting(base.tags.subtracting(here.tags))
        return merged
    }

    private static func survivor(
        _ base: ReferenceAccount, _ here: ReferenceAccount, _ there: ReferenceAccount,
        _ policy: Policy
    ) -> ReferenceAccount {
        var gone = base
        gone.isDeleted = true
        if here.isDeleted {
            let isUndone = there.hasOtherRow(base) && !there.isDeleted && !policy.isOfContext
            return isUndone ? there : gone
        }
        // A link that is only removed does not need the record.
        let isMissed = here.hasOtherRow(base) || !here.tags.isSubset(of: base.tags)
        return isMissed && policy.isOfContext ? here : gone
    }
}

/// One store with accounts, and two contexts that change them concurrently.
private struct PolicyTrial {
    static let accountCount = 8
    let ledger: Ledger
    let policy: Policy
    var random: SeededGenerator

    init(_ policy: Policy, seed: UInt64) throws {
        ledger = try Ledger()
        self.policy = policy
        random = SeededGenerator(seed: seed)
        try ledger.elsewhere { context in
            for number in 0..<4 {
                for entity in ["Tag", "Bank"] {
                    _ = try context.make(entity, ["name": .string("\(number)")])
                }
            }
            for number in 0..<Self.accountCount {
                _ = try context.make("Account", ["name": .string("\(number)"), "visits": 0])
            }
            for account in try Self.accounts(context).values {
                try write(ReferenceAccount(), to: account)
            }
        }
    }

    static func accounts(_ context: ManagedObjectContext) throws -> [Int: ManagedObject] {
        let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Account"))
        return Dictionary(uniqueKeysWithValues: try all.map { (Int(try $0.givenName) ?? -1, $0) })
    }

    /// Writes the properties of an account that differ from a reference account.
    func write(_ reference: ReferenceAccount, to account: ManagedObject) throws {
        guard let context = account.managedObjectContext else { return }
        if reference.isDeleted { return context.delete(account) }
        var values = reference.attributes.mapValues { PropertyValue.integer($0) }
        values["visits"] = .integer(reference.visits)
        values["start"] = .integer(reference.span[0])
        values["end"] = .integer(reference.span[1])
        for (key, value) in values where try account.value(forKey: key) != value {
            try account.setValue(value, forKey: key)
        }
        let bank = try reference.bank.map { try context.named("\($0)", "Bank") }
        if try account.object(forKey: "bank") !== bank {
            try account.setObject(bank, forKey: "bank")
        }
        let tags = try account.objects(forKey: "tags")
        for tag in tags where !reference.tags.contains(Int(try tag.givenName) ?? -1) {
            tags.remove(tag)
        }
        for number in reference.tags { tags.insert(try context.named("\(number)", "Tag")) }
    }

    static func read(_ account: ManagedObject) throws -> ReferenceAccount {
        func integer(_ key: String) throws -> Int64 {
            guard case .integer(let number) = try account.value(forKey: key) else { return -1 }
            return number
        }
        var reference = ReferenceAccount()
        for key in ["a", "b", "c"] { reference.attributes[key] = try integer(key) }
        reference.visits = try integer("visits")
        reference.span = [try integer("start"), try integer("end")]
        reference.bank = try account.target("bank").flatMap { Int($0) }
        reference.tags = Set(try account.names("tags").compactMap { Int($0) })
        return reference
    }

    mutating func edited(_ base: [Int: ReferenceAccount]) -> [Int: ReferenceAccount] {
        var edited = base
        for number in base.keys.sorted() {
            guard var account = edited[number] else { continue }
            if random.oneIn(10) {
                account.isDeleted = true
            } else {
                for _ in 0..<Int.random(in: 0...3, using: &random) { change(&account) }
            }
            edited[number] = account
        }
        return edited
    }

    private mutating func change(_ account: inout ReferenceAccount) {
        let value = Int64.random(in: 1...4, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: account.attributes["a"] = value
        case 1: account.attributes["b"] = value
        case 2: account.attributes["c"] = value
        case 3: account.visits += value
        case 4: account.span[Int.random(in: 0...1, using: &random)] = value
        case 5: account.bank = random.oneIn(4) ? nil : Int(value) - 1
        default: account.tags.formSymmetricDifference([Int(value) - 1])
        }
    }

    mutating func round() throws {
        let base = try ledger.inContext { try Self.accounts($0).mapValues(Self.read) }
        let (here, there) = (edited(base), edited(base))
        var expected: [Int: ReferenceAccount] = [:]
        for (number, account) in base {
            guard let here = here[number], let there = there[number] else { continue }
            let merged = ReferenceAccount.merged(account, here: here, there: there, policy)
            if !merged.isDeleted { expected[number] = merged }
        }
        let trial = self
        try ledger.inContext(policy.policy) { context throws in
            let accounts = try Self.accounts(context)
            for account in accounts.values { _ = try Self.read(account) }
            let tags = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
            for tag in tags { _ = try tag.names("accounts") }
            try trial.ledger.elsewhere { other in
                for (number, account) in try Self.accounts(other) {
                    if let there = there[number] { try trial.write(there, to: account) }
                }
            }
            for (number, account) in accounts {
                if let here = here[number] { try trial.write(here, to: account) }
            }
            try context.save()
            #expect(!context.hasChanges)
            // A merge brings in what only another context has changed, as after any save.
            for (number, account) in accounts where account.managedObjectContext != nil {
                guard let here = here[number], let base = base[number], here.hasOtherRow(base),
                    there[number]?.hasOtherRow(base) == true
                else { continue }
                #expect(try Self.read(account) == expected[number], "in memory, \(number)")
            }
        }
        let found = try ledger.inContext { try Self.accounts($0).mapValues(Self.read) }
        #expect(found == expected)
    }
}

@Suite struct `Merge policies against a reference model` {
    @Test(arguments: Policy.resolving, TestLength.seeds(48))
    func `each property is as the reference has it`(policy: Policy, seed: UInt64) throws {
        var trial = try PolicyTrial(policy, seed: seed)
        for _ in 0..<6 { try trial.round() }
    }
}
