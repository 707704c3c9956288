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
        /// Everything of `plain`, and unique keys, a tree and a one-to-one.
        case keys
    }

    /// The additional parts of a model of the kind `rules`.
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

    static func model(_ kind: Kind) throws -> ManagedObjectModel {
        switch kind {
        case .plain: try plainModel()
        case .rules: try mergeRuleModel()
        case .keys: try keyedModel()
        }
    }

    private static func plainModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Box") {
                Attribute("title", .string)
                Relationship("items", toMany: "Item", inverse: "box")
            }
            Entity("Item") {
                Attribute("name", .string)
                Attribute("count", .integer64)
                Relationship("box", to: "Box", inverse: "items")
                Relationship("labels", toMany: "Label", inverse: "items")
            }
            Entity("Label") {
                Attribute("text", .string)
                Attribute("low", .integer64)
                Attribute("high", .integer64)
                AttributeGroup("range", "low", "high")
                Relationship("items", toMany: "Item", inverse: "labels")
            }
            Entity("Half") {
                Attribute("pair", .integer64)
                Attribute("token", .integer64)
            }
        }
    }

    private static func mergeRuleModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Box") {
                Attribute("title", .string)
                Relationship("items", toMany: "Item", inverse: "box")
                Relationship("queue", toMany: "Item", ordered: true, inverse: "queues")
                Relationship("shelf", toMany: "Item", ordered: true, inverse: "shelvedIn")
            }
            Entity("Item") {
                Attribute("name", .string)
                Attribute("count", .integer64)
                Attribute("votes", .integer64, mergeRule: .counter)
                Attribute("best", .integer64, mergeRule: .max)
                Attribute("least", .integer64, mergeRule: .min)
                Attribute("born", .integer64, mergeRule: .firstWriter)
                Attribute("memo", .string, mergeRule: .keepBoth)
                Relationship("box", to: "Box", inverse: "items")
                Relationship("labels", toMany: "Label", inverse: "items")
                Relationship("queues", toMany: "Box", inverse: "queue")
                Relationship("shelvedIn", to: "Box", inverse: "shelf")
                Relationship("notes", toMany: "Note", inverse: "item")
            }
            Entity("Label") {
                Attribute("text", .string)
                Attribute("low", .integer64)
                Attribute("high", .integer64)
                Attribute("unit", .string)
                AttributeGroup("range", "low", "high", "unit")
                Relationship("items", toMany: "Item", inverse: "labels")
            }
            Entity("Half") {
                Attribute("pair", .integer64)
                Attribute("token", .integer64)
            }
            Entity("Note", deletePolicy: .updateWins) {
                Attribute("text", .string)
                Attribute("hits", .integer64, mergeRule: .counter)
                Relationship("item", to: "Item", inverse: "notes")
            }
        }
    }

    private static func keyedModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Box") {
                Attribute("title", .string)
                Relationship("items", toMany: "Item", inverse: "box")
                Relationship("parent", to: "Box", acyclic: true, inverse: "children")
                Relationship("children", toMany: "Box", inverse: "parent")
                Relationship("seal", to: "Item", inverse: "sealed")
                Unique("title")
            }
            Entity("Item") {
                Attribute("name", .string)
                Attribute("count", .integer64)
                Attribute("code", .integer64)
                Attribute("votes", .integer64, mergeRule: .counter)
                Relationship("box", to: "Box", inverse: "items")
                Relationship("labels", toMany: "Label", inverse: "items")
                Relationship("sealed", to: "Box", inverse: "seal")
                Unique("code")
                Unique("name")
            }
            Entity("Label") {
                Attribute("text", .string)
                Attribute("low", .integer64)
                Attribute("high", .integer64)
                AttributeGroup("range", "low", "high")
                Relationship("items", toMany: "Item", inverse: "labels")
                Unique("text")
            }
            Entity("Half") {
                Attribute("pair", .integer64)
                Attribute("token", .integer64)
            }
        }
    }
}
