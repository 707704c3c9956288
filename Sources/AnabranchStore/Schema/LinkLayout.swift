package import AnabranchModel
import AnabranchReplication

/// The table of one relationship that is stored as links: one row a visible link.
package final class LinkLayout: Sendable {
    /// The side that names the wire property; its records are the `left` ends.
    package let relationship: RelationshipDescription
    /// Quoted for SQL.
    package let name: String
    let plainName: String
    /// Whether one of the sides is a list: tags have places.
    let isList: Bool
    /// Tags as ``LinkRows/tags(of:at:isList:)`` reads them.
    let tagColumns: String
    /// Makes or changes a row; parameters: left, right, then the tag columns.
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

    /// Of a relationship that is its own inverse each link has two equal ends; `left` is then the
    /// smaller identity.
    package var isSymmetric: Bool { relationship.storage == .links(.both) }

    package var leftEntity: EntityDescription { relationship.entity }
    package var rightEntity: EntityDescription { relationship.destination }
}
