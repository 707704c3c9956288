package import AnabranchModel
import AnabranchReplication

/// The model of a simulated app: attributes, a to-one, links, ranges and pairs, and the parts of
/// its kind.
///
/// A label's range is an attribute group. Every save moves one end so that the range is valid with
/// the other end. A low end above the high end shows that the ends of two writers were mixed.
///
/// The two halves of a pair are always written by the same save. A half without the other, or with
/// another token, shows half a save.
///
/// Entities and properties are named by their wire names, which stay when a version renames them.
package struct SimulationModel: Sendable {
    package let model: ManagedObjectModel
    let box: EntityDescription
    let item: EntityDescription
    let label: EntityDescription
    let half: EntityDescription
    /// The to-many relationship of items to labels.
    let labels: RelationshipDescription
    /// The to-many relationship of boxes to items.
    let items: RelationshipDescription

    let kind: Kind
    /// The parts with other merge rules; `nil` if the model has none.
    package let mergeRules: MergeRuleParts?

    init(_ kind: Kind) throws {
        self.kind = kind
        model = try Self.model(kind)
        box = try Self.entity("Box", of: model)
        item = try Self.entity("Item", of: model)
        label = try Self.entity("Label", of: model)
        half = try Self.entity("Half", of: model)
        labels = try Self.relationship("labels", of: item)
        items = try Self.relationship("items", of: box)
        mergeRules =
            model.entity(wireName: "Note") == nil
            ? nil
            : MergeRuleParts(
                note: try Self.entity("Note", of: model),
                queue: try Self.relationship("queue", of: box),
                shelf: try Self.relationship("shelf", of: box))
    }

    /// Whether the model has unique keys, for which a store refuses saves.
    var hasUniqueKeys: Bool { model.entities.contains { !$0.ownUniquenessConstraints.isEmpty } }

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
        guard let entity = model.entity(wireName: WireName(name)) else {
            throw SimulationFailure("the model lacks \(name)")
        }
        return entity
    }
}

extension EntityDescription {
    /// Returns the slot of a property.
    ///
    /// - Parameter name: The wire name of a property that the entity has, or the name of one that
    ///   has no wire name of its own.
    func slot(_ name: String) -> Int { knownSlot(name) ?? 0 }

    /// Returns the slot of a property, or `nil` if this version lacks the property.
    func knownSlot(_ name: String) -> Int? {
        property(wireName: WireName(name))?.slot ?? slotIndex(named: name)
    }
}
