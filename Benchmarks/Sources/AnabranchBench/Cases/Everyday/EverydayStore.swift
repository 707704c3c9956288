import Anabranch
import Foundation

/// The operations on objects, each in a context that has not read the object before.
final class EverydayStore: EverydaySide {
    private let context: BackgroundContext
    // These properties are used only in the bodies of the context.
    nonisolated(unsafe) private var people: [ManagedObjectID] = []
    nonisolated(unsafe) private var players: [ManagedObjectID] = []
    nonisolated(unsafe) private var teams: [ManagedObjectID] = []

    init(_ path: String) throws {
        let model = try ManagedObjectModel {
            PersonStore.entity
            EntityDeclaration("Team") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("players", toMany: "Player", inverse: "team")
            }
            EntityDeclaration("Player") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("team", to: "Team", inverse: "players")
            }
        }
        let container = PersistentContainer(
            model: model, classes: [Person.self], url: URL(fileURLWithPath: path))
        try container.load()
        try container.newBackgroundContext().performAndWait { try Self.fill($0) }
        context = container.newBackgroundContext()
        try context.performAndWait { context in
            people = try Self.ids(of: "Person", in: context)
            players = try Self.ids(of: "Player", in: context)
            teams = try Self.ids(of: "Team", in: context)
        }
    }

    private static func fill(_ context: ManagedObjectContext) throws {
        for number in 0..<EverydaySize.people {
            let person = try context.insert(Person.self)
            person.age = Int64(number % EverydaySize.ages)
            person.firstName = "First \(number)"
            person.lastName = "Last \(number)"
        }
        for number in 0..<EverydaySize.teams {
            let team = try context.insert("Team")
            try team.setValue(.string("Team \(number)"), forKey: "title")
            for player in 0..<EverydaySize.playersEach {
                let object = try context.insert("Player")
                try object.setValue(.string("Player \(player)"), forKey: "name")
                try object.setObject(team, forKey: "team")
            }
        }
        try context.save()
    }

    private static func ids(
        of entity: String, in context: ManagedObjectContext
    ) throws -> [ManagedObjectID] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.sorts = [FetchSort("SELF")]
        return try context.objectIDs(for: request)
    }

    func times(of operation: EverydayOperation, _ turns: Range<Int>) throws -> [Duration] {
        try context.performAndWait { context in
            defer { context.reset() }
            return try turns.map { turn in
                let object = try prepare(operation, turn, in: context)
                let clock = ContinuousClock()
                let start = clock.now
                try run(operation, turn, object, in: context)
                return clock.now - start
            }
        }
    }

    /// The object that an operation is about, if the app has it before: the time is not measured.
    private func prepare(
        _ operation: EverydayOperation, _ turn: Int, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
        switch operation {
        case .change, .delete:
            let object = try context.existingObject(with: people[turn % people.count])
            _ = try object.value(forKey: "age")
            return object
        case .fire:
            let player = try context.existingObject(with: players[turn % players.count])
            _ = try player.value(forKey: "name")
            return player
        case .members: return try context.existingObject(with: teams[turn % teams.count])
        case .insert, .insertTen, .find, .count: return nil
        }
    }

    private func run(
        _ operation: EverydayOperation, _ turn: Int, _ object: ManagedObject?,
        in context: ManagedObjectContext
    ) throws {
        switch operation {
        case .insert:
            try insert(into: context)
            try context.save()
        case .insertTen:
            for _ in 0..<10 { try insert(into: context) }
            try context.save()
        case .change:
            guard let person = object as? Person else { throw Unexpected("no person") }
            person.age += 1
            try context.save()
        case .delete:
            guard let object else { throw Unexpected("no person") }
            context.delete(object)
            try context.save()
        case .find:
            let person = try context.existingObject(with: people[turn % people.count])
            guard try person.value(forKey: "age") != .null else { throw Unexpected("no age") }
        case .fire:
            guard let team = try object?.object(forKey: "team") else { throw Unexpected("no team") }
            _ = try team.value(forKey: "title")
        case .members:
            guard let players = try object?.objects(forKey: "players") else {
                throw Unexpected("no team")
            }
            var count = 0
            for player in players where try player.value(forKey: "name") != .null { count += 1 }
            guard count == EverydaySize.playersEach else { throw Unexpected("\(count) players") }
        case .count:
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("age == %d", turn % EverydaySize.ages)
            _ = try context.count(for: request)
        }
    }

    private func insert(into context: ManagedObjectContext) throws {
        let person = try context.insert(Person.self)
        person.age = Int64.random(in: 0..<Int64(EverydaySize.ages))
        person.firstName = "Firstname"
        person.lastName = "Lastname"
    }
}
