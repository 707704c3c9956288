import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of attributes that are optional in one version of a model and mandatory in the next one.
@Suite struct `A mandatory attribute with a default` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario(model: Self.model(isMandatory: false)) }

    /// - Parameter value: The default of the mandatory rank.
    static func model(
        isMandatory: Bool, default value: Int64 = 9, isSynced: Bool = true,
        _ more: (inout EntityDeclaration) -> Void = { _ in }
    ) throws -> ManagedObjectModel {
        var person = EntityDeclaration("Person") {
            AttributeDeclaration("name", .string)
            AttributeDeclaration(
                "rank", .integer64, optional: !isMandatory,
                default: isMandatory ? .integer(value) : nil)
            AttributeDeclaration(
                "best", .integer64, optional: !isMandatory,
                default: isMandatory ? .integer(1) : nil, mergeRule: .max)
        }
        more(&person)
        let local = ModelConfiguration("Local", "Person", isSynced: false)
        let entity = person
        return try ManagedObjectModel(configurations: isSynced ? [] : [local]) { entity }
    }

    private func found(_ format: String, in store: Store) throws -> [LocalID] {
        var query = FetchQuery(entity: try #require(store.model.entity(named: "Person")))
        query.predicate = try FetchPredicate(format).resolved(for: query.entity)
        return try store.read { try $0.identifiers(query) }
    }

    private func exchange(_ stores: [Store]) throws {
        for _ in 0..<2 { for store in stores { try scenario.zone.sync(store) } }
        let expected = try scenario.zone.reference().canonicalHash
        for store in stores { #expect(try store.canonicalHash() == expected) }
    }

    @Test func `shows the default in place of the null that an earlier version wrote`() throws {
        let first = try scenario.open("a")
        let anna = try first.insert("Person", ["name": "Anna"])
        let bob = try first.insert("Person", ["name": "Bob", "rank": .integer(3)])
        let hash = try first.canonicalHash()
        first.close()
        let second = try scenario.open("a", model: Self.model(isMandatory: true))
        #expect(try second.value("rank", of: anna) == .integer(9))
        #expect(try second.value("best", of: anna) == .integer(1))
        #expect(try found("rank == 9", in: second) == [anna])
        #expect(try found("rank == nil", in: second) == [])
        #expect(try found("rank < 5", in: second) == [bob])
        #expect(try second.canonicalHash() == hash)
        #expect(try second.pending(byteLimit: .max).count == 2)
        try second.set("name", "Anne", of: anna)
        #expect(try second.value("rank", of: anna) == .integer(9))
        try second.set("rank", .integer(4), of: anna)
        #expect(try second.value("rank", of: anna) == .integer(4))
        #expect(try second.check().isValid)
    }

    @Test func `shows null again in a version that lets it be null`() throws {
        let first = try scenario.open("a")
        let anna = try first.insert("Person", ["name": "Anna"])
        let bob = try first.insert("Person", ["name": "Bob", "rank": .integer(3)])
        let (hash, shown) = (try first.canonicalHash(), try ShownState(first))
        first.close()
        let second = try scenario.open("a", model: Self.model(isMandatory: true))
        #expect(try second.value("rank", of: anna) == .integer(9))
        second.close()
        let third = try scenario.open("a", model: Self.model(isMandatory: true, default: 10))
        #expect(try third.value("rank", of: anna) == .integer(10))
        #expect(try third.value("rank", of: bob) == .integer(3))
        third.close()
        let fourth = try scenario.open("a")
        #expect(try ShownState(fourth) == shown)
        #expect(try fourth.canonicalHash() == hash)
    }

    @Test func `replicas of both versions keep one state`() throws {
        let old = try scenario.open("old")
        let new = try scenario.open("new", model: Self.model(isMandatory: true))
        let anna = try old.insert("Person", ["name": "Anna"])
        let bob = try old.insert("Person", ["name": "Bob", "rank": .integer(3)])
        try exchange([old, new])
        let (annaThere, bobThere) = (try new.id(of: anna, on: old), try new.id(of: bob, on: old))
        #expect(try new.value("rank", of: annaThere) == .integer(9))
        // Null that a replica of the old version writes later shows as the default too.
        scenario.clock.milliseconds += 10
        _ = try old.update("Person", bob, ["rank": .null])
        try exchange([old, new])
        #expect(try new.value("rank", of: bobThere) == .integer(9))
        #expect(try old.value("rank", of: bob) == .null)
        // Of two concurrent writes the later one stays, and the other one is in the journal.
        scenario.clock.milliseconds += 10
        _ = try new.update("Person", bobThere, ["rank": .integer(5)])
        scenario.clock.milliseconds += 10
        _ = try old.update("Person", bob, ["rank": .null])
        try exchange([new, old])
        #expect(try new.value("rank", of: bobThere) == .integer(9))
        for store in [new, old] {
            let conflict = try #require(try store.conflicts().first)
            #expect(try store.conflicts().count == 1)
            #expect(conflict.value == .integer(5) && conflict.winningValue == .null)
        }
        let third = try scenario.open("third", model: new.model)
        try scenario.zone.pull(into: third)
        #expect(try ShownState(third) == ShownState(new))
    }

    @Test func `null loses against every value under the rule max, although a default shows`()
        throws
    {
        let old = try scenario.open("old")
        let new = try scenario.open(
            "new",
            model: Self.model(isMandatory: true) { person in
                person.attributes[2].defaultValue = .integer(5)
            })
        let anna = try old.insert("Person", ["name": "Anna"])
        try exchange([old, new])
        let there = try new.id(of: anna, on: old)
        #expect(try new.value("best", of: there) == .integer(5))
        scenario.clock.milliseconds += 10
        _ = try new.update("Person", there, ["best": .integer(2)])
        try exchange([old, new])
        #expect(try new.value("best", of: there) == .integer(2))
        #expect(try old.value("best", of: anna) == .integer(2))
    }

    @Test func `a mandatory counter shows zero until something is added`() throws {
        let first = try scenario.open("a")
        let anna = try first.insert("Person", ["name": "Anna"])
        first.close()
        func add(_ person: inout EntityDeclaration) {
            person.attributes.append(
                AttributeDeclaration(
                    "votes", .integer64, optional: false, default: 3, mergeRule: .counter))
        }
        let second = try scenario.open("a", model: Self.model(isMandatory: false, add))
        #expect(try second.value("votes", of: anna) == .integer(0))
        #expect(try found("votes == 0", in: second) == [anna])
        try second.set("votes", .integer(2), of: anna)
        try exchange([second])
        #expect(try second.value("votes", of: anna) == .integer(2))
    }

    @Test func `a record that is kept in one store gets the default written`() throws {
        let first = try scenario.open(
            "a", model: Self.model(isMandatory: false, isSynced: false))
        let anna = try first.insert("Person", ["name": "Anna"])
        first.close()
        func open(_ value: Int64) throws -> Store {
            try scenario.open(
                "a", model: Self.model(isMandatory: true, default: value, isSynced: false))
        }
        for value in [9, 10] as [Int64] {
            let store = try open(value)
            #expect(try store.value("rank", of: anna) == .integer(9))
            try store.set("name", .string("\(value)"), of: anna)
            store.close()
        }
    }

    @Test func `a part of a key with other parts shows its default, and keys stay unique`() throws {
        func key(_ person: inout EntityDeclaration) {
            person.uniquenessConstraints = [UniquenessConstraint("name", "rank")]
        }
        let first = try scenario.open("a", model: Self.model(isMandatory: false, key))
        let anna = try first.insert("Person", ["name": "Anna"])
        let other = try first.insert("Person", ["name": "Anna"])
        first.close()
        let new = try Self.model(isMandatory: true, key)
        let error = storeError { _ = try scenario.open("a", model: new) }
        #expect(error?.code == .constraintConflict && error?.records.sorted() == [anna, other])
        let again = try scenario.open("a", model: Self.model(isMandatory: false, key))
        try again.delete(other)
        again.close()
        let second = try scenario.open("a", model: new)
        #expect(try second.value("rank", of: anna) == .integer(9))
        let refused = storeError {
            try second.insert("Person", ["name": "Anna", "rank": .integer(9)])
        }
        #expect(refused?.code == .constraintConflict)
    }
}

/// Tests of what a version demands although records have nothing to show in its place.
@Suite struct `A property that becomes mandatory` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    @Test func `refuses the migration while records have no target of a to-one`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        let bob = try first.insertPerson("Bob", boss: anna)
        first.close()
        let bytes = scenario.bytes("a")
        let model = try scenario.changedModel { declaration in
            for place in declaration.entities[0].relationships.indices
            where declaration.entities[0].relationships[place].name == "boss" {
                declaration.entities[0].relationships[place].isOptional = false
            }
        }
        let error = storeError { _ = try scenario.open("a", model: model) }
        #expect(error?.code == .migrationNotInferred && error?.records == [anna])
        #expect(error?.property == "boss", "\(error?.message ?? "")")
        #expect(scenario.bytes("a") == bytes)
        let again = try scenario.open("a")
        try again.set("boss", .integer(bob), of: anna)
        again.close()
        let second = try scenario.open("a", model: model)
        #expect(try second.value("boss", of: anna) == .integer(bob))
    }

    @Test func `refuses the migration if it is new and there are records`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        first.close()
        let model = try scenario.changedModel { declaration in
            declaration.entities[0].relationships.append(
                RelationshipDeclaration("tutor", to: "Person", optional: false))
        }
        let error = storeError { _ = try scenario.open("a", model: model) }
        #expect(error?.code == .migrationNotInferred && error?.records == [anna])
        let again = try scenario.open("a")
        try again.delete(anna)
        again.close()
        _ = try scenario.open("a", model: model)
    }
}
