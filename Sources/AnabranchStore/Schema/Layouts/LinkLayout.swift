package import AnabranchModel
import AnabranchReplication

/// The table of one relationship that is stored as links, with one row for each visible link.
package final class LinkLayout: Sendable {
    /// The side of the relationship that names the wire property; its records are the `left` ends.
    package let relationship: RelationshipDescription
    /// The table's name, quoted for SQL.
    package let name: String
    let plainName: String
    /// True if one of the sides is an ordered relationship, so that tags have positions.
    let isList: Bool
    /// The columns that `LinkRows.tags(of:at:isList:)` reads.
    let tagColumns: String
    /// Inserts or updates a row; parameters: left, right, then the tag columns.
    let upsertSQL: String

    init(_ relationship: RelationshipDescription, plainName: String) {
        self.relationship = relationship
        self.plainName = plainName
        let name = SQL.quoted(plainName)
        let isList = relationship.wireProperty.rule == .list
        let columns =
            ["tag", "tag_by", "more"] + (isList ? ["left_position", "right_position"] : [])
        self.name = name
        self.isList = isList
        tagColumns = columns.joined(separator: ", ")
        upsertSQL = """
            INSERT INTO \(name) (left, right, \(columns.joined(separator: ", ")))
            VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))
            ON CONFLICT (left, right) DO UPDATE
            SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }

    /// True if the relationship is its own inverse. Both ends of a link are then equal, and `left`
    /// is the smaller identity.
    package var isSymmetric: Bool { relationship.storage == .links(.both) }

    package var leftEntity: EntityDescription { relationship.entity }
    package var rightEntity: EntityDescription { relationship.destination }
}
