import AnabranchModel

/// A reference that a view rule may hide or redirect to a surviving record, so that its row depends
/// on other rows.
final class ViewRuleColumn: Sendable {
    /// The root of the entity hierarchy that the table holds.
    let root: EntityDescription
    /// The table's name, quoted for SQL.
    let table: String
    let column: TableLayout.Column
    /// The properties that were added to the table.
    let added: AddedProperties
    /// True for a one-to-one, in which a target has at most one holder.
    let isExclusive: Bool
    /// True for a to-one that is its own inverse, in which two records refer to each other.
    let isMutual: Bool
    /// True if references must not form a cycle.
    let isAcyclic: Bool

    /// True if a target may be a merged duplicate, because its entity has unique keys.
    let isRedirectable: Bool
    let destination: EntityDescription

    /// Creates the description of a column.
    ///
    /// - Returns: `nil` for a column to which no view rule applies.
    init?(
        _ column: TableLayout.Column, root: EntityDescription, table: String,
        added: AddedProperties
    ) {
        guard let relationship = column.property.relationship else { return nil }
        isMutual = relationship.isMutual
        isExclusive = !relationship.isMutual && relationship.inverse?.isToMany == false
        isAcyclic = relationship.isAcyclic
        destination = relationship.destination
        isRedirectable = destination.root.hierarchy.contains {
            !$0.ownUniquenessConstraints.isEmpty
        }
        guard isExclusive || isMutual || isAcyclic || isRedirectable else { return nil }
        self.root = root
        self.table = table
        self.column = column
        self.added = added
    }
}

extension ViewRuleColumn {
    /// True if the column shows what it holds as long as there are no merged duplicates.
    var isOnlyLed: Bool { !isExclusive && !isMutual && !isAcyclic }
}

extension ViewRuleColumn: Hashable {
    static func == (left: ViewRuleColumn, right: ViewRuleColumn) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
