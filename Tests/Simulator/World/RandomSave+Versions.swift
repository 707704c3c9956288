import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport

/// Saves of an app that has several versions: changes of whatever its version has.
///
/// They are made by the description of the model, so that a version needs no code of its own.
extension RandomSave {
    mutating func changeUnderVersions() throws {
        if world.oneIn(4) { return setText() }
        let entities = names.model.entities.filter { !$0.isAbstract && $0 != names.half }
        guard let entity = world.element(of: entities) else { return }
        let rows = try store.read { try SimulatedContent.rows(entity, $0) }
        switch world.number(0..<8) {
        case 0: try insert(entity, among: rows)
        case 1..<4: setAttribute(of: rows)
        case 4..<6: try setReference(of: rows)
        case 6: try changeLink(of: rows)
        default:
            guard let row = world.element(of: rows), touched.insert(row.id).inserted else { return }
            request.deletes.append(.init(entity: row.entity, rows: [(row.id, row.version)]))
        }
    }

    /// Gives a label one of a few texts. A version without the unique key now and then gives it
    /// the text of another label, and then can't be upgraded to a version with the key.
    private mutating func setText() {
        guard !names.hasUniqueKeys else { return setKey(content.labels, names.label, "text") }
        let other = world.oneIn(6) ? world.element(of: content.labels) : nil
        update(
            content.labels, names.label, "text",
            to: other?.slots[names.label.slot("text")] ?? .string("key \(world.number(0..<20))"))
    }

    private mutating func insert(_ entity: EntityDescription, among rows: [RowSnapshot]) throws {
        guard rows.count < Self.maximumRecords else { return }
        let id = try store.reserveNumbers(1).lowerBound
        var slots = empty(entity)
        if let attribute = world.element(of: plainAttributes(of: entity)) {
            slots[attribute.slot] = value(for: attribute)
        }
        request.inserts.append(.init(entity: entity, rows: [(id, slots)]))
    }

    /// The attributes that any value may be written to.
    private func plainAttributes(of entity: EntityDescription) -> [AttributeDescription] {
        entity.attributes.filter { $0.group == nil && $0.wireProperty.rule == .lastWriter }
    }

    private func value(for attribute: AttributeDescription) -> PropertyValue {
        if attribute.isOptional, world.oneIn(6) { return .null }
        return attribute.type == .string ? text() : .integer(Int64(world.number(0..<1_000)))
    }

    private mutating func setAttribute(of rows: [RowSnapshot]) {
        guard let row = world.element(of: rows), touched.insert(row.id).inserted,
            let attribute = world.element(of: plainAttributes(of: row.entity))
        else { return }
        var slots = row.slots
        slots[attribute.slot] = value(for: attribute)
        request.updates.append(
            .init(
                entity: row.entity, slots: [attribute.slot], rows: [(row.id, row.version, slots)]))
    }

    /// Returns a record that a relationship may point to, and marks it as used.
    private mutating func target(of relationship: RelationshipDescription) throws -> LocalID? {
        let rows = try store.read { try SimulatedContent.rows(relationship.destination, $0) }
        let target = world.element(of: rows.filter { !touched.contains($0.id) })?.id
        if let target { touched.insert(target) }
        return target
    }

    private mutating func setReference(of rows: [RowSnapshot]) throws {
        guard let row = world.element(of: rows), touched.insert(row.id).inserted,
            let relationship = world.element(
                of: row.entity.relationships.filter {
                    $0.storage == .reference && $0.inverse?.isOrdered != true
                })
        else { return }
        let target = world.oneIn(6) ? nil : try target(of: relationship)
        var slots = row.slots
        slots[relationship.slot] = target.map { .integer($0) } ?? .null
        request.updates.append(
            .init(
                entity: row.entity, slots: [relationship.slot],
                rows: [(row.id, row.version, slots)]))
    }

    private mutating func changeLink(of rows: [RowSnapshot]) throws {
        guard let row = world.element(of: rows), touched.insert(row.id).inserted,
            let relationship = world.element(
                of: row.entity.relationships.filter {
                    $0.storage == .links(.left) && !$0.isOrdered && $0.inverse?.isOrdered != true
                }),
            let other = try target(of: relationship)
        else { return }
        let related = try store.read { try $0.related(by: relationship, of: [row.id]).map(\.id) }
        request.links.append(
            .init(
                relationship: relationship, owner: row.id, other: other,
                isAdded: !related.contains(other)))
    }
}
