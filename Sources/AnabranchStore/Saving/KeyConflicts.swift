package import AnabranchModel

/// Records that would hold one unique key.
package struct KeyConflict: Sendable {
    /// The constraint's, in its order.
    package let attributes: [AttributeDescription]
    /// Among whose objects, and those below it, the constraint holds.
    package let owner: EntityDescription
    /// Each once: those that the save has written, and those that the store has. Of a group that
    /// shows as one the visible one.
    package internal(set) var records: [LocalID]
}

/// Every unique key that a save would give to several records; one at least.
package struct KeyConflicts: Error, Sendable {
    package internal(set) var all: [KeyConflict]

    init(_ all: [KeyConflict]) { self.all = all }

    /// What a save fails with: the first conflict in words, and all of them below it.
    func error(in entity: EntityDescription) -> StoreError {
        let first = all.first
        let names = first?.attributes.map(\.name).joined(separator: ", ") ?? ""
        return StoreError(
            .constraintConflict,
            "Can't save because another \(entity.name) has the same \(names); "
                + "change one of the two.",
            entity: entity.name, property: first?.attributes.first?.name,
            records: first?.records ?? [], underlying: self)
    }
}

extension StoreError {
    /// The error with other names of records.
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
