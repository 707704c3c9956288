package import AnabranchModel
import AnabranchReplication

extension SimulationModel {
    /// The kind of a world's app, or one version of it.
    package enum Kind: String, Sendable, CaseIterable {
        /// Plain registers, an attribute group and links.
        case plain
        /// Everything of `plain`, as a later version of the app has it.
        ///
        /// It adds attributes under every merge rule, ordered relationships, one more member of the
        /// attribute group, and an entity under `updateWins`.
        case rules
        /// Everything of `plain`, and unique keys, a tree, a one-to-one and a to-one that is its
        /// own inverse.
        case keys
        /// The versions of an app with every kind of change that a migration infers.
        case first, second, third

        /// Returns the version to which an app is upgraded, or set back; `nil` if it stays.
        func next(_ world: SimulatedWorld) -> Kind? {
            switch self {
            case .plain: .rules
            case .first: world.oneIn(3) ? .third : .second
            case .second: world.oneIn(6) ? .first : .third
            case .third: world.oneIn(4) ? .second : nil
            case .rules, .keys: nil
            }
        }

        /// The place among the versions of the app.
        var version: Int {
            switch self {
            case .plain, .keys, .first: 1
            case .rules, .second: 2
            case .third: 3
            }
        }

        var isVersioned: Bool { self == .first || self == .second || self == .third }
    }

    /// The additional parts of a model with several merge rules.
    package struct MergeRuleParts: Sendable {
        let note: EntityDescription
        /// An ordered relationship of boxes, stored as links.
        package let queue: RelationshipDescription
        /// An ordered one-to-many of boxes. An item's reference and its list position are one
        /// register.
        let shelf: RelationshipDescription
    }

    private static let all = Result {
        try Dictionary(
            uniqueKeysWithValues: Kind.allCases.map { ($0, try SimulationModel($0)) })
    }

    /// Returns the model of a kind. All runs share it, and so share what is compiled from it.
    package static func shared(_ kind: Kind) throws -> SimulationModel {
        guard let model = try all.get()[kind] else {
            throw SimulationFailure("there is no model of the kind \(kind)")
        }
        return model
    }

    /// Returns the simulated model that equals a file's.
    static func shared(of model: ManagedObjectModel) throws -> SimulationModel {
        guard let found = try all.get().values.first(where: { $0.model.hash == model.hash }) else {
            throw SimulationFailure("a file has a model of no version")
        }
        return found
    }

    static func model(_ kind: Kind) throws -> ManagedObjectModel {
        switch kind {
        case .plain: try plainModel()
        case .rules: try mergeRuleModel()
        case .keys: try keyedModel()
        case .first: try firstVersion()
        case .second: try secondVersion()
        case .third: try thirdVersion()
        }
    }

    private static func plainModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Box") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("items", toMany: "Item", inverse: "box")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("count", .integer64)
                RelationshipDeclaration("box", to: "Box", inverse: "items")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
            }
            label()
            half
        }
    }

    private static func mergeRuleModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Box") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("items", toMany: "Item", inverse: "box")
                RelationshipDeclaration("queue", toMany: "Item", ordered: true, inverse: "queues")
                RelationshipDeclaration(
                    "shelf", toMany: "Item", ordered: true, inverse: "shelvedIn")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("count", .integer64)
                AttributeDeclaration("votes", .integer64, mergeRule: .counter)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("least", .integer64, mergeRule: .min)
                AttributeDeclaration("born", .integer64, mergeRule: .firstWriter)
                AttributeDeclaration("memo", .string, mergeRule: .keepBoth)
                RelationshipDeclaration("box", to: "Box", inverse: "items")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
                RelationshipDeclaration("queues", toMany: "Box", inverse: "queue")
                RelationshipDeclaration("shelvedIn", to: "Box", inverse: "shelf")
                RelationshipDeclaration("notes", toMany: "Note", inverse: "item")
            }
            label(hasUnit: true)
            half
            EntityDeclaration("Note", deletePolicy: .updateWins) {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("hits", .integer64, mergeRule: .counter)
                RelationshipDeclaration("item", to: "Item", inverse: "notes")
            }
        }
    }

    private static func keyedModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Box") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("items", toMany: "Item", inverse: "box")
                RelationshipDeclaration("parent", to: "Box", acyclic: true, inverse: "children")
                RelationshipDeclaration("children", toMany: "Box", inverse: "parent")
                RelationshipDeclaration("seal", to: "Item", inverse: "sealed")
                RelationshipDeclaration("twin", to: "Box", inverse: "twin")
                UniquenessConstraint("title")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("count", .integer64)
                AttributeDeclaration("code", .integer64)
                AttributeDeclaration("votes", .integer64, mergeRule: .counter)
                RelationshipDeclaration("box", to: "Box", inverse: "items")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
                RelationshipDeclaration("sealed", to: "Box", inverse: "seal")
                UniquenessConstraint("code")
                UniquenessConstraint("name")
            }
            label(isUnique: true)
            half
        }
    }

    static var half: EntityDeclaration {
        EntityDeclaration("Half") {
            AttributeDeclaration("pair", .integer64)
            AttributeDeclaration("token", .integer64)
        }
    }

    static func label(
        hasUnit: Bool = false, isUnique: Bool = false, _ relationships: RelationshipDeclaration...
    ) -> EntityDeclaration {
        EntityDeclaration("Label") {
            AttributeDeclaration("text", .string)
            AttributeDeclaration("low", .integer64)
            AttributeDeclaration("high", .integer64)
            if hasUnit { AttributeDeclaration("unit", .string) }
            AttributeGroup("range", attributes: ["low", "high"] + (hasUnit ? ["unit"] : []))
            RelationshipDeclaration("items", toMany: "Item", inverse: "labels")
            for relationship in relationships { relationship }
            if isUnique { UniquenessConstraint("text") }
        }
    }
}
