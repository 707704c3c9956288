import AnabranchModel

/// The model of the simulated app: attributes, a to-one, links, ranges and pairs.
///
/// A label's range is a group of attributes. Every save moves one end to where it is right by the
/// other: whoever sees a low end above the high one sees two writers' ends.
///
/// Two halves of a pair are written by the same saves, always both: whoever sees one without the
/// other, or with another token, sees half a save.
struct SimulationModel: Sendable {
    let model: ManagedObjectModel
    let box: EntityDescription
    let item: EntityDescription
    let label: EntityDescription
    let half: EntityDescription
    /// Of an item.
    let labels: RelationshipDescription
    /// Of a box.
    let items: RelationshipDescription

    /// One for all runs, which then share what is compiled from it.
    static let shared = Result { try SimulationModel() }

    private init() throws {
        model = try ManagedObjectModel {
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
        box = try Self.entity("Box", of: model)
        item = try Self.entity("Item", of: model)
        label = try Self.entity("Label", of: model)
        half = try Self.entity("Half", of: model)
        labels = try Self.relationship("labels", of: item)
        items = try Self.relationship("items", of: box)
    }

    private static func relationship(
        _ name: String, of entity: EntityDescription
    ) throws -> RelationshipDescription {
        guard let found = entity.relationships.first(where: { $0.name == name }) else {
            throw SimulationFailure("the model lacks the \(name) of \(entity.name)")
        }
        return found
    }

    private static func entity(
        _ name: String, of model: ManagedObjectModel
    ) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else {
            throw SimulationFailure("the model lacks \(name)")
        }
        return entity
    }
}

extension EntityDescription {
    /// - Parameter name: Of a property that the entity has.
    func slot(_ name: String) -> Int { slotIndex(named: name) ?? 0 }
}
