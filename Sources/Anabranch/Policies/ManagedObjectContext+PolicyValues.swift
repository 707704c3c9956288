import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// The rows of objects as the store has them now, in one SELECT for each entity.
    func freshRows(
        of objects: some Sequence<ManagedObject>
    ) throws -> [LocalID: FreshRow] {
        var rows: [LocalID: FreshRow] = [:]
        for (entity, group) in Dictionary(grouping: objects, by: \.entity) {
            try coordinator.store.read { reader in
                try reader.rows(of: entity, ids: group.map(\.localID).sorted()) { row in
                    rows[row.id] = FreshRow(row)
                }
            }
        }
        return rows
    }

    /// Gives an object what a policy says it is to have.
    ///
    /// - Throws: ``PropertyError``, ``StoreError``.
    func set(_ values: [String: PropertyValue], of object: ManagedObject) throws {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let relationship = try object.property(named: name).relationship else {
                try object.setValue(value, forKey: name)
                continue
            }
            var target: ManagedObject?
            if case .reference(let record) = value, !relationship.isToMany {
                target = try existingTarget(record, of: relationship)
            }
            guard target != nil || value.isNull && !relationship.isToMany else {
                throw PropertyError(
                    .wrongType,
                    "Can't set \(object.entity.name).\(name) to \(value) by a merge policy because "
                        + "a to-one takes a reference to an existing record, or null; pass one.",
                    property: name, objectID: object.objectID)
            }
            try setTarget(of: object, by: relationship, to: target)
        }
    }

    /// The registered objects that one of some records is mentioned in, as a target or a member.
    func objects(mentioning ids: Set<LocalID>) -> [ManagedObject] {
        registry.values.filter { $0.mentions(ids) }
    }
}

extension ManagedObject {
    final func mentions(_ ids: Set<LocalID>) -> Bool {
        if flags.contains(.hasRow) {
            for relationship in home.plan.references {
                let slot = relationship.slot
                if case .integer(let id) = slots[slot], ids.contains(id) { return true }
                if !committed.isEmpty, case .integer(let id) = committed[slot], ids.contains(id) {
                    return true
                }
            }
        }
        return relations?.states.contains { $0.mentions(ids) } ?? false
    }
}
