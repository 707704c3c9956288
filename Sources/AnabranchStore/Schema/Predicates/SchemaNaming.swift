package import AnabranchModel

/// The tables and columns of a store for entities and properties; all names are quoted for SQL.
package protocol SchemaNaming {
    /// The table of the entity's root.
    func table(for entity: EntityDescription) -> String

    /// The column of a stored attribute, or of a to-one that is stored on its own side.
    func column(for property: PropertyDescription) -> String

    /// The values of `ab_entity` in the entity's rows; `nil` if the table has no such column.
    func entityNumbers(for entity: EntityDescription, includingSubentities: Bool) -> [Int64]?

    /// The table of the words of an entity's searchable attributes; only for an entity with such.
    func searchTable(for entity: EntityDescription) -> String

    /// The place of a searchable attribute among the columns of the table of words, from 0.
    func searchColumn(of attribute: AttributeDescription) -> Int

    /// The link table of a relationship, seen from the side of the relationship.
    func linkTable(for relationship: RelationshipDescription) -> LinkTableNames

    /// True if one row may show several records, because the model has unique keys.
    var mergesDuplicates: Bool { get }

    /// The terms that sort the elements of an ordered relationship, as every replica sorts them.
    ///
    /// They name no other rows than those of the aliases: SQLite does not know the outer rows of a
    /// subquery in its ORDER BY.
    func listOrder(of relationship: RelationshipDescription, _ aliases: ListAliases) -> [String]
}

/// The rows that a SELECT of the elements of an ordered relationship joins.
package struct ListAliases {
    /// The row of the element.
    package let element: String
    /// The row of the link to the element, for a many-to-many relationship.
    package let link: String
}

/// The name of a link table and the columns of its two ends, quoted for SQL.
package struct LinkTableNames: Hashable, Sendable {
    package let name: String
    /// The column of the object that has the relationship.
    package let ownColumn: String
    /// The column of the related object.
    package let otherColumn: String

    package init(name: String, ownColumn: String, otherColumn: String) {
        self.name = name
        self.ownColumn = ownColumn
        self.otherColumn = otherColumn
    }
}
