import AnabranchModel

/// A reference that a view rule may hide, or lead to another record: what a row shows then depends
/// on other rows.
final class RuledColumn: Sendable {
    /// The entity at the top of the hierarchy that the table holds.
    let root: EntityDescription
    /// Quoted for SQL.
    let table: String
    let column: TableLayout.Column
    /// Whether a target has one holder at most: a one-to-one.
    let isExclusive: Bool
    /// Whether references must not go round in a circle.
    let isAcyclic: Bool

    /// Whether a target may be shown by another record, because the two hold one unique key.
    let isLed: Bool
    let destination: EntityDescription

    /// - Returns: `nil` of a column that shows what it holds.
    init?(_ column: TableLayout.Column, root: EntityDescription, table: String) {
        guard let relationship = column.property.relationship else { return nil }
        isExclusive = relationship.inverse.map { !$0.isToMany } ?? false
        isAcyclic = relationship.isAcyclic
        destination = relationship.destination
        isLed = destination.root.hierarchy.contains { !$0.ownUniquenessConstraints.isEmpty }
        guard isExclusive || isAcyclic || isLed else { return nil }
        self.root = root
        self.table = table
        self.column = column
    }
}

extension RuledColumn {
    /// Whether the column shows what it holds while no record is shown by another.
    var isOnlyLed: Bool { !isExclusive && !isAcyclic }
}

extension RuledColumn: Hashable {
    static func == (left: RuledColumn, right: RuledColumn) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
