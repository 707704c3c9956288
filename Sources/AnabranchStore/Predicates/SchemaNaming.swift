package import AnabranchModel

/// Where entities and properties are in the tables of a store; all names are quoted for SQL.
package protocol SchemaNaming {
    /// The table of the entity's root.
    func table(for entity: EntityDescription) -> String

    /// The column of a stored attribute, or of a to-one that is stored on its own side.
    func column(for property: PropertyDescription) -> String

    /// What `ab_entity` holds in the rows of the entity; `nil` where the table has no such column.
    func entityNumbers(
        for entity: EntityDescription, includingSubentities: Bool
    ) -> [Int64]?

    /// The table of a relationship that is stored as links, seen from the relationship's side.
    func linkTable(for relationship: RelationshipDescription) -> LinkTableNames
}

/// The table of links and which column has which end, quoted for SQL.
package struct LinkTableNames: Hashable, Sendable {
    package let name: String
    /// The end at which the object stands that has the relationship.
    package let ownColumn: String
    package let otherColumn: String

    package init(name: String, ownColumn: String, otherColumn: String) {
        self.name = name
        self.ownColumn = ownColumn
        self.otherColumn = otherColumn
    }
}
