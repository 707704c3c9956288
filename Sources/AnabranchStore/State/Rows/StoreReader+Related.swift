package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension StoreReader {
    /// One end of a relationship.
    package struct Related: Sendable {
        package let owner: LocalID
        package let entity: EntityDescription
        package let id: LocalID
        /// The position in the owner's list; `nil` if the relationship is not ordered.
        fileprivate(set) var position: ListPosition?
    }

    /// The related objects of all owners, read in one SELECT.
    ///
    /// - Parameters:
    ///   - relationship: A to-many, or a to-one that the inverse stores. For a to-one that is its
    ///     own inverse, the result is the records that refer to the owners, deleted ones too.
    ///   - rows: Gets the row of each related object, as often as the object is related, in no
    ///     particular order.
    /// - Returns: The related objects in ascending order of the owners, then by position for a
    ///   list, and by ID for any other relationship.
    package func related(
        by relationship: RelationshipDescription, of owners: [LocalID],
        rows: ((StoredRow) throws -> Void)? = nil
    ) throws -> [Related] {
        guard !owners.isEmpty else { return [] }
        func read(_ column: String = "") throws -> [Related] {
            let form = RelatedForm(relationship: relationship, column: column, hasRows: rows != nil)
            return try related(form, of: owners, rows)
        }
        var found: [Related]
        switch relationship.storage {
        case .memory: return []
        case .reference where !relationship.isMutual: return []
        case .reference, .inverseReference: found = try read()
        case .links(.left): found = try read("left")
        case .links(.right): found = try read("right")
        case .links(.both):
            found = try read("left")
            // A link of an object to itself is in both results.
            found += try read("right").filter { $0.owner != $0.id }
        }
        if relationship.isOrdered { return try inOrder(found) }
        if !zip(found, found.dropFirst()).allSatisfy({ Related.areAscending($0, $1) }) {
            found.sort(by: Related.areAscending)
        }
        return found
    }

    private func related(
        _ form: RelatedForm, of owners: [LocalID], _ rows: ((StoredRow) throws -> Void)?
    ) throws -> [Related] {
        guard let select = schema.relatedSelect(form) else { return [] }
        let destination = form.relationship.destination
        let isMixed = schema.layout(of: destination).table.hasDiscriminator
        let selection = form.hasRows ? schema.rowSelection(of: destination) : nil
        let isOrdered = form.relationship.isOrdered
        let entityColumn = form.hasRows ? 2 : 1
        let end = selection?.terms.count ?? (isMixed ? 2 : 1)
        let ownerColumn = isOrdered ? end + 1 : end
        var found: [Related] = []
        try withExtendedLifetime(selection) {
            try forEachRow(select, of: owners) { row in
                let entity =
                    isMixed ? schema.entity(numbered: row[entityColumn].int64) : destination
                guard let entity else { return }
                var related = Related(
                    owner: row[ownerColumn].int64, entity: entity, id: row[0].int64)
                if isOrdered, !row[end].isNull {
                    related.position = ListPosition(bytes: row[end].bytes)
                }
                found.append(related)
                if let rows, let selection { try rows(try selection.row(row)) }
            }
        }
        return found
    }

    /// Sorts by position. Objects without a position come first; objects with equal positions are
    /// sorted by record identity, as on every replica.
    private func inOrder(_ found: [Related]) throws -> [Related] {
        // Equal positions are rare, and the table of replicas can be long.
        var known: ReplicaTable?
        func record(_ id: LocalID) throws -> RecordID? {
            let replicas = try known ?? replicas()
            known = replicas
            return replicas.record(id)
        }
        return try found.sorted { left, right in
            if left.owner != right.owner { return left.owner < right.owner }
            if left.position != right.position {
                guard let leftPosition = left.position, let rightPosition = right.position else {
                    return left.position == nil
                }
                return leftPosition < rightPosition
            }
            guard let leftRecord = try record(left.id), let rightRecord = try record(right.id)
            else { return left.id < right.id }
            return leftRecord < rightRecord
        }
    }
}

extension StoreReader.Related {
    fileprivate static func areAscending(_ left: Self, _ right: Self) -> Bool {
        (left.owner, left.id) < (right.owner, right.id)
    }
}
