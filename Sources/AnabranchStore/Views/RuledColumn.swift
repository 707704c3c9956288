import AnabranchModel

/// A reference of which a view rule may hide the target: what a row shows then depends on other
/// rows.
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

    /// - Returns: `nil` of a column that shows what it holds.
    init?(_ column: TableLayout.Column, root: EntityDescription, table: String) {
        guard let relationship = column.property.relationship else { return nil }
        isExclusive = relationship.inverse.map { !$0.isToMany } ?? false
        isAcyclic = relationship.isAcyclic
        guard isExclusive || isAcyclic else { return nil }
        self.root = root
        self.table = table
        self.column = column
    }
}

extension RuledColumn: Hashable {
    static func == (left: RuledColumn, right: RuledColumn) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
