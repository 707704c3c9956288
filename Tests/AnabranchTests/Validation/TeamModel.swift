import Anabranch
import Foundation
import TestSupport

/// A model with validation rules for every kind of property.
enum TeamModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Team") {
                AttributeDeclaration("code", .string, regularExpression: "[A-Z]{3}")
                AttributeDeclaration("founded", .date, minimum: 100, maximum: 200)
                AttributeDeclaration("motto", .string, validations: mottoRules)
                AttributeDeclaration("name", .string, optional: false, minimum: 2, maximum: 10)
                AttributeDeclaration("rank", .integer16, minimum: 1, maximum: 99)
                AttributeDeclaration("rating", .double, minimum: 0.5, maximum: 5)
                AttributeDeclaration(
                    "shout", .string, optional: false, default: "Go", transient: true)
                RelationshipDeclaration(
                    "captain", to: "Player", inverse: "captaincy",
                    validations: [.init("age >= 18", warning: "A captain is of age.")])
                RelationshipDeclaration("ground", to: "Ground", inverse: "team", deleteRule: .deny)
                RelationshipDeclaration(
                    "fans", toMany: "Fan", minCount: 2, maxCount: 3, inverse: "teams")
                RelationshipDeclaration(
                    "players", toMany: "Player", optional: false, minCount: 2, maxCount: 3,
                    inverse: "team",
                    validations: [.init("ALL SELF.age >= 16", warning: "No child plays.")])
            }
            EntityDeclaration("Player") {
                AttributeDeclaration("age", .integer32, optional: false, default: 20)
                RelationshipDeclaration("captaincy", to: "Team", inverse: "captain")
                RelationshipDeclaration("team", to: "Team", inverse: "players")
            }
            EntityDeclaration("Fan") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("teams", toMany: "Team", optional: false, inverse: "fans")
            }
            EntityDeclaration("Ground") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration(
                    "team", to: "Team", optional: false, inverse: "ground", deleteRule: .deny)
            }
        }
    }

    static let mottoRules: [ValidationRule] = [
        .init("length >= 3", warning: "A motto has three letters."),
        .init("SELF MATCHES 'A.*'"),
    ]

    static let classes: [ManagedObject.Type] = [Team.self, Player.self]
}

/// A class with hooks that a test supplies.
class Team: ManagedObject, ValueChecking {
    override class var entityName: String { "Team" }
    override class var slotNames: [String] {
        [
            "code", "founded", "motto", "name", "rank", "rating", "shout", "captain", "ground",
            "fans", "players",
        ]
    }

    var motto: String? {
        get { self[slot: 2] }
        set { self[slot: 2] = newValue }
    }
    var name: String? {
        get { self[slot: 3] }
        set { self[slot: 3] = newValue }
    }
    var rank: Int64? {
        get { self[slot: 4] }
        set { self[slot: 4] = newValue }
    }
    var captain: Player? {
        get { self[toOne: 7] }
        set { self[toOne: 7] = newValue }
    }
    var fans: ManagedObjectSet<ManagedObject> { self[toMany: 9] }
    var players: ManagedObjectSet<Player> { self[toMany: 10] }

    var calls: [String] = []
    var onInsert: (Team) throws -> Void = { try $0.checkAsTeam() }
    var onUpdate: (Team) throws -> Void = { _ in }
    var onDelete: (Team) throws -> Void = { _ in }
    var onSave: (Team) -> Void = { _ in }
    var onValue: (inout PropertyValue, String) throws -> Void = { _, _ in }

    func checkAsTeam() throws { try super.validateForInsert() }
    override func validateForInsert() throws {
        calls.append("insert")
        try onInsert(self)
    }
    override func validateForUpdate() throws {
        calls.append("update")
        try super.validateForUpdate()
        try onUpdate(self)
    }
    override func validateForDelete() throws {
        calls.append("delete")
        try super.validateForDelete()
        try onDelete(self)
    }
    func checkValue(_ value: inout PropertyValue, forKey key: String) throws {
        try onValue(&value, key)
    }
    override func willSave() {
        calls.append("will")
        onSave(self)
    }
    override func didSave() { calls.append("did") }
}

/// A class without hooks.
final class Player: ManagedObject {
    override class var entityName: String { "Player" }
    override class var slotNames: [String] { ["age", "captaincy", "team"] }
    var age: Int64 {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var team: Team? {
        get { self[toOne: 2] }
        set { self[toOne: 2] = newValue }
    }
}

/// A store of that model, or of another one.
final class League: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init(
        _ model: ManagedObjectModel? = nil, classes: [ManagedObject.Type]? = nil
    ) throws {
        directory = try TemporaryDirectory("league")
        container = PersistentContainer(
            model: try model ?? TeamModel.make(),
            classes: classes ?? (model == nil ? TeamModel.classes : []),
            url: URL(filePath: directory.file("league.anabranch")))
        try container.load()
    }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }

    /// Returns the errors of a save of the block's changes; empty if it succeeds.
    func failures(_ body: (ManagedObjectContext) throws -> Void) throws -> [ValidationError] {
        try inContext { context throws in
            try body(context)
            return context.failures()
        }
    }
}

extension ManagedObjectContext {
    /// Returns the errors of a save.
    func failures() -> [ValidationError] {
        do {
            try save()
            return []
        } catch {
            return (error as? ValidationError)?.all ?? []
        }
    }

    /// Inserts a team with as many players as it needs.
    @discardableResult
    func team(_ name: String = "Foxes", players: Int = 2) throws -> Team {
        let team = try insert(Team.self)
        team.name = name
        for _ in 0..<players { try insert(Player.self).team = team }
        return team
    }
}
