package import AnabranchModel

/// Records that would hold one unique key.
package struct KeyConflict: Sendable {
    /// The attributes of the constraint, in its order.
    package let attributes: [AttributeDescription]
    /// The entity that declares the constraint, which applies to its objects and those of its
    /// sub-entities.
    package let owner: EntityDescription
    /// The records, each once: those that the save has written and those in the store. A
    /// duplicate set is represented by its surviving record.
    package internal(set) var records: [LocalID]
}

/// Every unique key that a save would give to several records; never empty.
package struct KeyConflicts: Error, Sendable {
    package internal(set) var all: [KeyConflict]

    init(_ all: [KeyConflict]) { self.all = all }

    /// The error of the save: its message describes the first conflict, and its underlying error
    /// has all of them.
    func error(in entity: EntityDescription) -> StoreError {
        let first = all.first
        let names = first?.attributes.map(\.name).joined(separator: ", ") ?? ""
        return StoreError(
            .constraintConflict,
            "Can't save because another \(entity.name) has the same \(names). Change one of the "
                + "two.",
            entity: entity.name, property: first?.attributes.first?.name,
            records: first?.records ?? [], underlying: self)
    }
}

extension StoreError {
    /// The error with other record IDs.
    func renaming(_ names: [LocalID: LocalID]) -> StoreError {
        var cause = underlying
        if var conflicts = cause as? KeyConflicts {
            for index in conflicts.all.indices {
                conflicts.all[index].records = conflicts.all[index].records.map {
                    names[$0] ?? $0
                }
            }
            cause = conflicts
        }
        return StoreError(
            code, message, path: path, entity: entity, property: property,
            records: records.map { names[$0] ?? $0 }, underlying: cause)
    }
}

extension UniqueConstraint {
    /// The error for a violated constraint.
    ///
    /// - Parameter records: The written record and the records that hold the same key.
    func conflict(of records: [LocalID], in entity: EntityDescription? = nil) -> StoreError {
        KeyConflicts([KeyConflict(attributes: attributes, owner: owner, records: records)])
            .error(in: entity ?? owner)
    }
}
