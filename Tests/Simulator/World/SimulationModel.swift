package import AnabranchModel

/// A model of the simulated app: attributes, a to-one, links, ranges and pairs, and what its kind
/// has besides.
///
/// A label's range is a group of attributes. Every save moves one end to where it is right by the
/// other: whoever sees a low end above the high one sees two writers' ends.
///
/// Two halves of a pair are written by the same saves, always both: whoever sees one without the
/// other, or with another token, sees half a save.
package struct SimulationModel: Sendable {
    package let model: ManagedObjectModel
    let box: EntityDescription
    let item: EntityDescription
    let label: EntityDescription
    let half: EntityDescription
    /// Of an item.
    let labels: RelationshipDescription
    /// Of a box.
    let items: RelationshipDescription

    let kind: Kind
    /// `nil` where the model has no such parts.
    package let ruled: RuledParts?

    init(_ kind: Kind) throws {
        self.kind = kind
        model = try Self.model(kind)
        box = try Self.entity("Box", of: model)
        item = try Self.entity("Item", of: model)
        label = try Self.entity("Label", of: model)
        half = try Self.entity("Half", of: model)
        labels = try Self.relationship("labels", of: item)
        items = try Self.relationship("items", of: box)
        ruled =
            kind == .rules
            ? RuledParts(
                note: try Self.entity("Note", of: model),
                queue: try Self.relationship("queue", of: box),
                shelf: try Self.relationship("shelf", of: box)) : nil
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
