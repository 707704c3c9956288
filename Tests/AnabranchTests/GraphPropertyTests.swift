import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Anabranch

/// The reference model of people, groups and their relationships, which answers every question by
/// asking all objects.
private struct ReferenceGraph: Equatable {
    var people: Set<Int> = []
    var groups: Set<Int> = []
    var bosses: [Int: Int] = [:]
    var friends: Set<Set<Int>> = []
    var members: Set<[Int]> = []

    mutating func delete(person: Int) {
        people.remove(person)
        bosses[person] = nil
        bosses = bosses.filter { $0.value != person }
        friends = friends.filter { !$0.contains(person) }
        members = members.filter { $0[1] != person }
    }

    mutating func delete(group: Int) {
        groups.remove(group)
        members = members.filter { $0[0] != group }
    }
}

/// One context under random operations, and its expected content.
private struct Trial {
    let graph: Graph
    let context: ManagedObjectContext
    var random: SeededGenerator
    var reference = ReferenceGraph()
    var saved = ReferenceGraph()
    /// The people by their ages. The groups below are by their titles.
    var people: [Int: Person] = [:]
    var groups: [Int: Group] = [:]
    var next = 0

    mutating func step() throws {
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: try insertPerson()
        case 2: try insertGroup()
        case 3, 4, 5: try setBoss()
        case 6: try changeReports()
        case 7, 8: try changeFriends()
        case 9, 10: try changeMembers()
        case 11: try delete()
        case 12: context.processPendingChanges()
        case 13: try save()
        case 14: if random.oneIn(3) { try rollback() }
        default: try forget()
        }
    }

    private mutating func insertPerson() throws {
        let person = try context.insert(Person.self)
        person.age = Int64(next)
        people[next] = person
        reference.people.insert(next)
        next += 1
    }

    private mutating func insertGroup() throws {
        let group = try context.insert(Group.self)
        group.title = "\(next)"
        groups[next] = group
        reference.groups.insert(next)
        next += 1
    }

    private mutating func anyone() -> Int? {
        reference.people.sorted().randomElement(using: &random)
    }

    private mutating func setBoss() throws {
        guard let key = anyone(), let boss = anyone() else { return }
        let isNone = random.oneIn(4)
        people[key]?.boss = isNone ? nil : people[boss]
        reference.bosses[key] = isNone ? nil : boss
    }

    private mutating func changeReports() throws {
        guard let boss = anyone(), let key = anyone(), let person = people[key] else { return }
        if random.oneIn(2) {
            people[boss]?.reports.insert(person)
            reference.bosses[key] = boss
        } else {
            people[boss]?.reports.remove(person)
            if reference.bosses[key] == boss { reference.bosses[key] = nil }
        }
    }

    private mutating func changeFriends() throws {
        guard let first = anyone(), let second = anyone(), let friend = people[second] else {
            return
        }
        if random.oneIn(3) {
            people[first]?.friends.remove(friend)
            reference.friends.remove([first, second])
        } else {
            people[first]?.friends.insert(friend)
            reference.friends.insert([first, second])
        }
    }

    private mutating func changeMembers() throws {
        guard let key = anyone(), let person = people[key],
            let number = reference.groups.sorted().randomElement(using: &random),
            let group = groups[number]
        else { return }
        let isRemoved = random.oneIn(3)
        switch (random.oneIn(2), isRemoved) {
        case (true, true): group.members.remove(person)
        case (true, false): group.members.insert(person)
        case (false, true): person.groups.remove(group)
        case (false, false): person.groups.insert(group)
        }
        if isRemoved {
            reference.members.remove([number, key])
        } else {
            reference.members.insert([number, key])
        }
    }

    private mutating func delete() throws {
        if random.oneIn(3), let number = reference.groups.sorted().randomElement(using: &random) {
            if let group = groups.removeValue(forKey: number) { context.delete(group) }
            reference.delete(group: number)
        } else if let key = anyone() {
            if let person = people.removeValue(forKey: key) { context.delete(person) }
            reference.delete(person: key)
        }
        // Until then the inverse relationships still have it.
        context.processPendingChanges()
    }

    private mutating func save() throws {
        try context.save()
        saved = reference
    }

    private mutating func rollback() throws {
        context.rollback()
        reference = saved
        try findAll()
    }

    /// Turns objects into faults or resets the context, and fetches all objects again.
    private mutating func forget() throws {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try context.refreshAllObjects()
        case 1:
            people = [:]
            groups = [:]
            try findAll()
        default:
            guard reference == saved else { return }
            context.reset()
            try findAll()
        }
    }

    private mutating func findAll() throws {
        people = Dictionary(
            uniqueKeysWithValues: try context.fetch(FetchRequest<Person>()).map {
                (Int($0.age), $0)
            })
        groups = Dictionary(
            uniqueKeysWithValues: try context.fetch(FetchRequest<Group>()).map {
                (Int($0.title ?? "") ?? -1, $0)
            })
    }

    /// Reads the content of a context through all relationships.
    static func read(_ context: ManagedObjectContext) throws -> ReferenceGraph {
        var found = ReferenceGraph()
        for person in try context.fetch(FetchRequest<Person>()) {
            let key = Int(person.age)
            found.people.insert(key)
            if let boss = person.boss {
                found.bosses[key] = Int(boss.age)
                #expect(boss.reports.contains(person))
            }
            for report in person.reports { #expect(report.boss === person) }
            for friend in person.friends {
                found.friends.insert([key, Int(friend.age)])
                #expect(friend.friends.contains(person))
            }
            for group in person.groups { #expect(group.members.contains(person)) }
        }
        for group in try context.fetch(FetchRequest<Group>()) {
            let number = Int(group.title ?? "") ?? -1
            found.groups.insert(number)
            for member in group.members {
                found.members.insert([number, Int(member.age)])
                #expect(member.groups.contains(group))
            }
        }
        return found
    }
}

/// Keeps the registered objects of a context; used on that context's queue.
private final class HeldObjects: @unchecked Sendable {
    private var objects: Set<ManagedObject> = []

    func formUnion(_ context: ManagedObjectContext) {
        objects.formUnion(context.registeredObjects)
    }
}

@Suite struct `The graph against a reference model` {
    @Test(arguments: TestLength.seeds(240))
    func `inverses, deletions, saves and rollbacks agree`(seed: UInt64) throws {
        try run(seed: seed, depth: 0)
    }

    @Test(arguments: TestLength.seeds(160), [1, 2])
    func `inverses, deletions, saves and rollbacks agree in a child context too`(
        seed: UInt64, depth: Int
    ) throws {
        try run(seed: seed, depth: depth)
    }

    /// - Parameter depth: The number of contexts above the tested one.
    private func run(seed: UInt64, depth: Int) throws {
        let graph = try Graph()
        try graph.inContext { root throws in
            var contexts = [root]
            for _ in 0..<depth { contexts.append(contexts[contexts.count - 1].newChildContext()) }
            let context = contexts[depth]
            // With an even seed, references to a deleted record are looked up in the way that
            // contexts with many objects use.
            if seed.isMultiple(of: 2) {
                for context in contexts { context.searchLimits = SearchLimits(always: 0, each: 0) }
            }
            var random = SeededGenerator(seed: seed)
            var trial = Trial(
                graph: graph, context: context, random: SeededGenerator(seed: random.next()))
            for step in 0..<150 {
                try trial.step()
                if random.oneIn(10) {
                    for above in contexts.dropLast().reversed() { try above.save() }
                }
                guard step % 10 == 9 else { continue }
                #expect(try Trial.read(context) == trial.reference, "seed \(seed), step \(step)")
                #expect(context.inconsistencies == [], "seed \(seed), step \(step)")
            }
            let expected = trial.reference
            for context in contexts.reversed() {
                try context.save()
                for above in contexts { _ = try above.count(for: FetchRequest<Person>()) }
            }
            for above in contexts { #expect(try Trial.read(above) == expected, "seed \(seed)") }
            let stored = Mutex<ReferenceGraph?>(nil)
            try graph.inContext { other throws in
                let found = try Trial.read(other)
                stored.withLock { $0 = found }
            }
            #expect(stored.withLock { $0 } == expected, "seed \(seed), stored")
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `a store in memory comes to what a file comes to`(seed: UInt64) throws {
        let hashes = try StoreKind.allCases.map { kind in
            let milliseconds = Mutex<Int64>(1_000_000)
            let random = Mutex(SeededGenerator(seed: seed))
            let graph = try Graph(kind) { description in
                description.environment.wallMilliseconds = {
                    milliseconds.withLock { time in
                        time += 7
                        return time
                    }
                }
                description.environment.randomBytes = { count in
                    random.withLock { random in
                        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
                    }
                }
            }
            try graph.inContext { context throws in
                var trial = Trial(
                    graph: graph, context: context, random: SeededGenerator(seed: seed))
                for _ in 0..<200 { try trial.step() }
                try context.save()
                #expect(try Trial.read(context) == trial.reference)
            }
            return try graph.coordinator.canonicalHash()
        }
        #expect(hashes[0] == hashes[1])
    }

    @Test(arguments: TestLength.seeds(160))
    func `a context that merges what another saves agrees with it`(seed: UInt64) throws {
        let graph = try Graph()
        let watching = graph.context()
        let held = HeldObjects()
        watching.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            if seed.isMultiple(of: 2) { context.searchLimits = SearchLimits(always: 0, each: 0) }
        }
        try graph.inContext { context throws in
            var trial = Trial(
                graph: graph, context: context, random: SeededGenerator(seed: seed))
            for step in 0..<120 {
                try trial.step()
                guard step % 12 == 11 else { continue }
                try context.save()
                trial.saved = trial.reference
                let expected = trial.reference
                let isWhole = step % 24 == 23
                try watching.performAndWait { other in
                    if isWhole {
                        let found = try Trial.read(other)
                        #expect(found == expected, "seed \(seed), step \(step)")
                    }
                    for person in try other.people() where person.age % 3 == 0 {
                        _ = person.reports.count
                    }
                    held.formUnion(other)
                    #expect(other.inconsistencies == [], "seed \(seed), step \(step)")
                }
            }
        }
    }
}
