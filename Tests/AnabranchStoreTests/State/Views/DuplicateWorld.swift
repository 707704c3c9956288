import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Stores whose edits use few keys, compared with the reference model after every step. The visible
/// state follows from the stored state alone, so stores with equal states show the same.
final class DuplicateWorld {
    static let references = ["parent", "owner", "clerk", "spouse"]
    static let links = ["teams", "friends"]

    let scenario: StoreScenario
    private(set) var stores: [Store]
    /// Whether the files can't be told apart, as after the snapshot of a virtual machine.
    private let areTwins: Bool
    var generator: SeededGenerator
    /// The number of times at which records were shown as one.
    private(set) var duplicateSetCount = 0

    static func model(_ policy: DeletePolicy) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person", deletePolicy: policy) {
                AttributeDeclaration("email", .string)
                AttributeDeclaration("code", .integer64)
                AttributeDeclaration("first", .string)
                AttributeDeclaration("last", .string)
                AttributeDeclaration("name", .string)
                AttributeDeclaration("visits", .integer64, mergeRule: .counter)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                AttributeDeclaration("start", .integer64)
                AttributeDeclaration("end", .integer64)
                AttributeGroup("time", "start", "end")
                RelationshipDeclaration("parent", to: "Person", acyclic: true, inverse: "children")
                RelationshipDeclaration("children", toMany: "Person", inverse: "parent")
                RelationshipDeclaration("desk", to: "Desk", inverse: "owner")
                RelationshipDeclaration("spouse", to: "Person", inverse: "spouse")
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
                RelationshipDeclaration("friends", toMany: "Person", inverse: "friends")
                UniquenessConstraint("email")
                UniquenessConstraint("code")
                UniquenessConstraint("first", "last")
            }
            EntityDeclaration("Employee", parent: "Person", deletePolicy: policy) {
                AttributeDeclaration("badge", .integer64)
                RelationshipDeclaration("desks", toMany: "Desk", inverse: "clerk")
                UniquenessConstraint("badge")
            }
            EntityDeclaration("Desk", deletePolicy: policy) {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("owner", to: "Person", inverse: "desk")
                RelationshipDeclaration("clerk", to: "Employee", inverse: "desks")
            }
            EntityDeclaration("Team", deletePolicy: policy) {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
                UniquenessConstraint("title")
            }
        }
    }

    init(seed: UInt64, areTwins: Bool = false) throws {
        self.areTwins = areTwins
        let policy: DeletePolicy = seed.isMultiple(of: 3) ? .updateWins : .deleteWins
        let scenario = try StoreScenario(model: Self.model(policy))
        self.scenario = scenario
        stores = try ["a", "b", "c"].enumerated().map { index, name in
            // The seed decides which identities are smaller.
            let high = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 &* UInt64(index + 1)
            return areTwins
                ? try Self.openTwin(name, in: scenario)
                : try scenario.open(name, replica: ReplicaID(high: high, low: seed))
        }
        generator = SeededGenerator(seed: seed)
    }

    private static func openTwin(_ name: String, in scenario: StoreScenario) throws -> Store {
        let clock = scenario.clock
        var environment = StoreEnvironment.system
        environment.wallMilliseconds = { clock.milliseconds }
        environment.fileIdentity = { _ in [] }
        return try Store.open(
            at: scenario.path(name), model: scenario.model, environment: environment)
    }

    /// Opens one more store as a copy of the first, with the same replica ID.
    func fork() throws {
        try scenario.copy("a", to: "twin")
        stores.append(try Self.openTwin("twin", in: scenario))
    }

    func step() throws {
        let store = generator.element(of: stores)
        // The step is often zero: stamps of different replicas are then equal in time.
        scenario.clock.milliseconds += Int64.random(in: 0...1, using: &generator)
        if generator.oneIn(4) {
            areTwins || generator.oneIn(3) ? try sync(store) : try send(store)
        } else {
            try edit(store)
        }
        try check(store)
    }

    /// Pulls, repairs the records for which names have changed, and pushes.
    private func sync(_ store: Store) throws {
        for _ in 0..<(areTwins ? 2 : 1) {
            try scenario.zone.pull(into: store)
            try scenario.zone.repair(store)
            try scenario.zone.push(from: store)
        }
    }

    private func send(_ store: Store) throws {
        let other = generator.element(of: stores)
        guard other !== store else { return }
        try store.send(to: other, in: scenario)
        try check(other)
    }

    // MARK: - Edits

    private func edit(_ store: Store) throws {
        let people = try store.allIDs("Person")
        let desks = try store.allIDs("Desk")
        let teams = try store.allIDs("Team")
        if people.count < 3 || people.count < 8 && generator.oneIn(4) {
            return try insert(store, generator.oneIn(3) ? "Employee" : "Person", people)
        }
        if desks.count < 3 || teams.isEmpty || generator.oneIn(10) {
            return try insert(store, generator.oneIn(2) ? "Desk" : "Team", people)
        }
        let person = generator.element(of: people)
        switch Int.random(in: 0..<22, using: &generator) {
        case 19..<22: try marry(store, person, people)
        case 0..<4: try set(store, person, keys())
        case 16: try set(store, person, times())
        case 17: try set(store, person, ["note": key("note ")])
        case 18: try set(store, person, ["name": .null])
        case 4:
            try set(
                store, person, ["name": .string("n\(Int.random(in: 0..<99, using: &generator))")])
        case 5: try count(store, person)
        case 6:
            try set(store, person, ["best": .integer(Int64.random(in: 0..<99, using: &generator))])
        case 7: try set(store, person, ["note": .string("x"), "name": .string("with note")])
        case 8: try set(store, person, ["parent": target(people)])
        case 9: try set(store, generator.element(of: desks), ["owner": target(people)], "Desk")
        case 10:
            let employees = try store.allIDs("Employee")
            try set(store, generator.element(of: desks), ["clerk": target(employees)], "Desk")
        case 11, 12: try link(store, person, "teams", teams)
        case 13: try link(store, person, "friends", people.filter { $0 != person })
        case 14: try set(store, generator.element(of: teams), ["title": key("t")], "Team")
        default: try delete(store, person)
        }
    }

    /// Sets the spouse of a person, mostly at both ends.
    private func marry(_ store: Store, _ person: LocalID, _ people: [LocalID]) throws {
        let spouse = target(people)
        try set(store, person, ["spouse": spouse])
        guard case .integer(let other) = spouse, !generator.oneIn(4) else { return }
        try set(store, other, ["spouse": .integer(person)])
    }

    private func key(_ prefix: String) -> PropertyValue {
        let number = Int.random(in: 0..<4, using: &generator)
        return number == 0 ? .null : .string("\(prefix)\(number)")
    }

    private func keys() -> [String: PropertyValue] {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: ["email": key("e")]
        case 1: ["code": .integer(Int64.random(in: 0..<3, using: &generator))]
        case 2: ["first": key("f"), "last": .string("l")]
        default: ["email": key("e"), "code": .null]
        }
    }

    /// Returns one end of a time or both, each sometimes open.
    private func times() -> [String: PropertyValue] {
        var times: [String: PropertyValue] = [:]
        for name in ["start", "end"] where generator.oneIn(2) {
            times[name] =
                generator.oneIn(4) ? .null : .integer(Int64.random(in: 0..<99, using: &generator))
        }
        return times.isEmpty ? ["start": .integer(0), "end": .integer(1)] : times
    }

    private func target(_ ids: [LocalID]) -> PropertyValue {
        ids.isEmpty || generator.oneIn(5) ? .null : .integer(generator.element(of: ids))
    }

    private func insert(_ store: Store, _ entity: String, _ people: [LocalID]) throws {
        var values: [String: PropertyValue]
        switch entity {
        case "Desk": values = ["name": .string("D"), "owner": target(people)]
        case "Team": values = ["title": key("t")]
        default:
            values = keys()
            values["name"] = .string("P")
            values["visits"] = .integer(Int64.random(in: 0..<3, using: &generator))
            values["parent"] = target(people)
            if entity == "Employee" {
                values["badge"] = .integer(Int64.random(in: 0..<3, using: &generator))
            }
        }
        try save(store, "\(entity) \(values)") { try store.insert(entity, values) }
    }

    /// Checks that a written value is visible, if its merge rule permits it.
    private func set(
        _ store: Store, _ id: LocalID, _ values: [String: PropertyValue],
        _ entity: String = "Person"
    ) throws {
        let before = try store.row(entity, id)?.slots
        let isSaved = try save(store, "\(values)") { _ = try store.update(entity, id, values) }
        // The whole visible value of an attribute group stays together.
        if isSaved, let before, let after = try store.row(entity, id) {
            for name in ["start", "end"]
            where values[name] == nil
                && values.keys.contains(where: {
                    ["start", "end"].contains($0)
                })
            {
                let slot = try #require(after.entity.slotIndex(named: name))
                #expect(after.slots[slot] == before[slot], "\(name)")
            }
        }
        guard isSaved, let record = try store.recordID(of: id) else { return }
        let expected = try expected(store)
        for (name, value) in values where !DuplicateWorld.references.contains(name) {
            // Removing a key separates merged duplicates.
            guard expected.shown.contains(where: { $0.id == record }) else { continue }
            #expect(try store.value(name, of: id, entity) == value, "\(name)")
        }
    }

    private func count(_ store: Store, _ id: LocalID) throws {
        let shown = try store.value("visits", of: id) ?? .null
        guard case .integer(let old) = shown else { return }
        let new = old + Int64.random(in: 1..<5, using: &generator)
        try set(store, id, ["visits": .integer(new)])
    }

    private func link(
        _ store: Store, _ id: LocalID, _ name: String, _ others: [LocalID]
    ) throws {
        guard !others.isEmpty else { return }
        let other = generator.element(of: others)
        let isThere = try store.related(id, name).contains(other)
        try store.link(id, name, other, isAdded: !isThere)
        #expect(try store.related(id, name).contains(other) == !isThere)
    }

    /// Checks that all records shown as one are deleted together.
    private func delete(_ store: Store, _ id: LocalID) throws {
        let record = try #require(try store.recordID(of: id))
        let before = try expected(store)
        try store.delete(id, of: "Person")
        let records = try state(store)
        for (member, visible) in before.visible where visible == record {
            #expect(records.first { $0.id == member }?.isDead ?? true)
        }
    }

    /// Checks that no save merges visible records: such a save is refused.
    @discardableResult
    private func save(_ store: Store, _ what: String, _ body: () throws -> Void) throws -> Bool {
        let before = try expected(store)
        let error = storeError(body)
        let after = try expected(store)
        if let error {
            let codes: [StoreError.Code] = [.constraintConflict, .cyclicReference, .cannotWin]
            #expect(codes.contains(error.code), "\(what): \(error)")
            let isSame = before.shown == after.shown
            #expect(isSame)
            return false
        }
        for record in before.shown {
            #expect(after.shown.contains { $0.id == record.id }, "\(what)")
        }
        return true
    }

    // MARK: - What is shown

    func state(_ store: Store) throws -> [CanonicalRecord] {
        var records: [CanonicalRecord] = []
        try store.read { try $0.canonicalRecords { records.append($0) } }
        return records
    }

    func expected(_ store: Store) throws -> ExpectedDuplicates {
        ExpectedDuplicates(of: try state(store), model: scenario.model)
    }

    func check(_ store: Store) throws {
        let expected = try expected(store)
        duplicateSetCount += expected.visible.isEmpty ? 0 : 1
        try checkRecords(store, expected)
        let references = ExpectedReferences(
            of: expected.shown, properties: Self.references, exclusive: ["owner"],
            mutual: ["spouse"], acyclic: ["parent"])
        let shown = try store.shownReferences()
        for property in Self.references {
            #expect(shown[property] == references.shown[property], "\(property)")
        }
        var links: Set<ExpectedDuplicates.Link> = []
        for name in Self.links {
            for id in try store.allIDs("Person") {
                let record = try #require(try store.recordID(of: id))
                for other in try store.related(id, name) {
                    let other = try #require(try store.recordID(of: other))
                    links.insert(link(name, record, other))
                }
            }
        }
        #expect(links == expected.links)
    }

    /// Returns the link as stored: the side with the smaller name has its owner on the left.
    private func link(
        _ name: String, _ record: RecordID, _ other: RecordID
    ) -> ExpectedDuplicates.Link {
        if name == "friends" {
            return .init(property: name, left: min(record, other), right: max(record, other))
        }
        return .init(property: name, left: record, right: other)
    }

    private func checkRecords(_ store: Store, _ expected: ExpectedDuplicates) throws {
        var found: Set<RecordID> = []
        for root in ["Person", "Desk", "Team"] {
            for id in try store.allIDs(root) {
                let row = try #require(try store.row(root, id))
                let record = try #require(try store.recordID(of: id))
                found.insert(record)
                guard let wanted = expected.shown.first(where: { $0.id == record }) else {
                    Issue.record("\(row.entity.name) \(record) must not be shown")
                    continue
                }
                #expect(row.entity.wireName == wanted.entity)
                for attribute in row.entity.attributes {
                    let value = wanted.value(of: attribute)
                    #expect(row.slots[attribute.slot] == value, "\(attribute.name)")
                }
            }
        }
        #expect(found == Set(expected.shown.map(\.id)))
    }

    /// Syncs all stores; a new store loads a snapshot.
    func settle() throws {
        for _ in 0..<(areTwins ? 3 : 2) { for store in stores { try sync(store) } }
        for store in stores { try check(store) }
        let reference = try scenario.zone.reference()
        let checksum = try stores[0].checksum()
        for store in stores {
            #expect(try store.canonicalHash() == reference.canonicalHash)
            #expect(try store.checksum() == checksum)
        }
        let late = try scenario.open("late")
        let place = try #require(try stores[0].syncState().cursor)
        try late.load(
            SnapshotChunk.chunks(of: reference, log: scenario.zone.log, records: 4), at: place)
        try check(late)
        #expect(try late.canonicalHash() == reference.canonicalHash)
    }

    /// Removes rows and related entries in a store's file without the store, and repairs them.
    func damageAndRepair(_ name: String, _ store: Store) throws {
        let checksum = try store.checksum()
        let records = try state(store).map(\.id)
        let all = "SELECT record FROM ab_shadow"
        for sql in [
            "DELETE FROM Person WHERE ab_pk IN (SELECT visible FROM ab_shadow WHERE record % 2)",
            "DELETE FROM ab_deferred_cell WHERE record IN (\(all))",
            "DELETE FROM ab_deferred_record WHERE record IN (\(all) WHERE record % 2 = 0)",
        ] {
            try scenario.sql(name, sql)
        }
        #expect(try store.checksum() != checksum)
        try store.queueForRepair(records)
        try scenario.zone.repair(store)
        #expect(try store.checksum() == checksum)
        try check(store)
    }
}

extension CanonicalRecord {
    /// Returns the value of an attribute in a record's own cells, also for a member of an attribute
    /// group.
    fileprivate func value(of attribute: AttributeDescription) -> PropertyValue {
        let cell = cells.first { $0.property == attribute.wireProperty }?.value ?? .null
        guard attribute.group != nil else { return cell }
        guard case .group(let group) = cell else { return .null }
        return group.members.first { $0.name.string == attribute.name }?.value ?? .null
    }
}
