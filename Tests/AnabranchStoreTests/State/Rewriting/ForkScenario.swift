import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport

/// Stores with files that can't be told apart, as after the snapshot of a virtual machine.
struct ForkScenario {
    let scenario: StoreScenario

    init(_ model: ManagedObjectModel? = nil) throws {
        scenario = try StoreScenario(model: try model ?? StoreScenario.people())
    }

    var zone: MemoryZone { scenario.zone }

    func open(
        _ name: String, clock: TestClock? = nil, model: ManagedObjectModel? = nil
    ) throws -> Store {
        let clock = clock ?? scenario.clock
        var environment = StoreEnvironment.system
        environment.wallMilliseconds = { clock.milliseconds }
        environment.fileIdentity = { _ in [] }
        return try Store.open(
            at: scenario.path(name), model: model ?? scenario.model, environment: environment)
    }

    /// Copies a store that stays in use; nothing distinguishes the two.
    func twin(of name: String, as other: String) throws -> Store {
        try scenario.copy(name, to: other)
        return try open(other)
    }

    /// Pulls, repairs and pushes.
    func sync(_ store: Store) throws {
        try zone.pull(into: store)
        try zone.repair(store)
        try zone.push(from: store)
        try zone.pull(into: store)
        try zone.repair(store)
    }

    /// Syncs until no store has anything to exchange, then compares all with the reference merge.
    func converge(_ stores: [Store]) throws -> [Digest] {
        for _ in 0..<3 { for store in stores { try sync(store) } }
        return try stores.map { try $0.canonicalHash() } + [zone.reference().canonicalHash]
    }
}

/// Random saves of people and teams, each with one small change.
struct RandomEdits {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func edit(_ store: Store) throws {
        let people = try store.identifiers("Person")
        let teams = try store.identifiers("Team")
        let boss = people.randomElement(using: &generator)
        guard let id = people.randomElement(using: &generator), !generator.oneIn(5) else {
            try store.insertPerson("N\(generator.next() % 100)", boss: boss)
            return
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0...2: try store.set("name", .string("E\(generator.next() % 100)"), of: id)
        case 3: try store.set("boss", boss.map(PropertyValue.integer) ?? .null, of: id)
        case 4: try store.insert("Team", ["title": .string("T")])
        case 5...6:
            guard let team = teams.randomElement(using: &generator) else { return }
            try store.link(id, "teams", team, isAdded: !generator.oneIn(3))
        default: try store.delete(id)
        }
    }
}

extension Store {
    func identifiers(_ entity: String) throws -> [LocalID] {
        let table = schema.layout(of: model.entity(named: entity)!).table.name
        return try read { reader in
            try reader.connection.rows("SELECT ab_pk FROM \(table) ORDER BY ab_pk").compactMap {
                guard case .integer(let id)? = $0.first else { return nil }
                return id
            }
        }
    }
}
