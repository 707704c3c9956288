import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Applies the operations of a change set again to the objects of a context.
struct Reapplication {
    private let context: ManagedObjectContext
    private var redone = ReappliedSave()
    /// The new objects, by the records that the rejected save had inserted.
    private var inserted: [RecordID: ManagedObject] = [:]

    private var store: Store { context.coordinator.store }

    init(_ context: ManagedObjectContext) { self.context = context }

    mutating func run(_ blocks: [ChangeBlock]) throws -> ReappliedSave {
        for case .insert(let rows) in blocks { try insert(rows) }
        for (record, object) in inserted { try retarget(from: record, to: object) }
        for block in blocks { try redo(block) }
        redone.insertedIDs = inserted.mapValues(\.objectID)
        return redone
    }

    // MARK: - Objects

    private mutating func insert(_ rows: RowBlock) throws {
        for record in rows.records {
            guard let entity = context.model.entity(wireName: rows.entity), !entity.isAbstract
            else {
                omit(record, rows.entity)
                continue
            }
            inserted[record] = try context.insert(entity)
        }
    }

    /// Changes the stored references to a former record so that they point to its new object.
    private func retarget(from record: RecordID, to object: ManagedObject) throws {
        guard let old = try store.localID(of: record) else { return }
        for (id, relationship) in try store.holders(of: old) {
            guard let holder = try context.object(id, of: relationship.entity),
                object.entity.isKind(of: relationship.destination)
            else { continue }
            try context.setTarget(of: holder, by: relationship, to: object)
        }
    }

    /// - Returns: `nil` if the record is deleted or the model does not know it.
    private func object(_ record: RecordID, of root: EntityDescription) throws -> ManagedObject? {
        if let object = inserted[record] {
            return object.isDeleted || !object.entity.isKind(of: root) ? nil : object
        }
        guard let id = try store.localID(of: record),
            let entity = try store.read({ try $0.entity(of: id, in: root) }),
            entity.isKind(of: root)
        else { return nil }
        let object = context.object(
            with: ManagedObjectID(origin: context.coordinator.origin, entity: entity, localID: id))
        return object.isDeleted ? nil : object
    }

    private mutating func object(_ record: RecordID, _ name: WireName) throws -> ManagedObject? {
        let entity = context.model.entity(wireName: name)
        if let object = try entity.flatMap({ try object(record, of: $0) }) { return object }
        omit(record, name)
        return nil
    }

    private mutating func omit(_ record: RecordID, _ entity: WireName, _ property: WireName? = nil)
    {
        redone.omissions.append(
            .init(record: record, entity: entity.string, property: property?.string))
    }

    // MARK: - Operations

    private mutating func redo(_ block: ChangeBlock) throws {
        switch block {
        case .insert(let rows), .update(let rows):
            try redo(rows) { value, _, _ in value }
        case .add(let rows):
            try redo(rows) { delta, object, attribute in
                Counter.sum(
                    try object.value(forKey: attribute.name), delta,
                    of: attribute.wireProperty.type)
            }
        case .write(let siblings):
            for write in siblings.writes {
                guard let object = try object(write.record, siblings.entity) else { continue }
                try set(write.value, siblings.property, of: object, write.record, siblings.entity)
            }
        case .delete(let deleted):
            for record in deleted.records { try delete(record, deleted.entity) }
        case .yieldingDelete(let deleted):
            for delete in deleted.deletes { try self.delete(delete.record, deleted.entity) }
        // A moved object is added if it is missing; its former list position may have lost its
        // meaning.
        case .link(let links), .move(let links):
            try redo(links) { try $0.insert($1, into: $2, $3) }
        case .unlink(let links): try redo(links) { try $0.remove($1, from: $2, $3) }
        case .unknown: break
        }
    }

    private mutating func delete(_ record: RecordID, _ entity: WireName) throws {
        if let object = try object(record, entity) { context.delete(object) }
    }

    /// - Parameter value: Returns the value to set an attribute to, from the written one.
    private mutating func redo(
        _ rows: RowBlock,
        _ value: (PropertyValue, ManagedObject, AttributeDescription) throws -> PropertyValue
    ) throws {
        for (row, record) in rows.records.enumerated() {
            guard let object = try object(record, rows.entity) else { continue }
            for (property, column) in zip(rows.properties, rows.columns) {
                var written = column[row]
                if case .attribute(let attribute)? = object.entity.property(property) {
                    written = try value(written, object, attribute)
                }
                try set(written, property, of: object, record, rows.entity)
            }
        }
    }

    private mutating func set(
        _ value: PropertyValue, _ property: WireProperty, of object: ManagedObject,
        _ record: RecordID,
        _ entity: WireName
    ) throws {
        do {
            if let group = object.entity.attributeGroup(property) {
                return try context.setGroup(group, of: object, to: value)
            }
            if let (attribute, shown) = object.entity.attribute(showing: value, of: property) {
                return try object.setValue(shown, forKey: attribute.name)
            }
            switch object.entity.property(property) {
            case .attribute(let attribute)?: try object.setValue(value, forKey: attribute.name)
            case .relationship(let relationship)?:
                try setTarget(value, relationship, of: object, record, entity)
            case nil: omit(record, entity, property.name)
            }
        } catch is PropertyError {
            omit(record, entity, property.name)
        }
    }

    private mutating func setTarget(
        _ value: PropertyValue, _ relationship: RelationshipDescription, of object: ManagedObject,
        _ record: RecordID, _ entity: WireName
    ) throws {
        guard let target = ListEntry.target(of: value) else {
            return try context.setTarget(of: object, by: relationship, to: nil)
        }
        guard let end = try self.object(target, of: relationship.destination) else {
            return omit(record, entity, relationship.wireProperty.name)
        }
        try context.setTarget(of: object, by: relationship, to: end)
    }

    private mutating func redo(
        _ links: LinkBlock,
        _ change: (
            ManagedObjectContext, ManagedObject, ManagedObject, RelationshipDescription
        ) throws -> Void
    ) throws {
        let entity = context.model.entity(wireName: links.entity)
        let relationship = entity?.property(links.property)?.relationship
        for link in links.links {
            guard let entity, let relationship,
                let left = try object(link.left, of: entity),
                let right = try object(link.right, of: relationship.destination)
            else {
                omit(link.left, links.entity, links.property.name)
                continue
            }
            try change(context, right, left, relationship)
        }
    }
}
