package import AnabranchModel
import AnabranchReplication

/// The table of one relationship that is stored as links: one row a visible link.
package final class LinkLayout: Sendable {
    /// The side that names the wire property; its records are the `left` ends.
    package let relationship: RelationshipDescription
    /// Quoted for SQL.
    package let name: String
    let plainName: String

    init(_ relationship: RelationshipDescription, plainName: String) {
        self.relationship = relationship
        self.plainName = plainName
        name = SQL.quoted(plainName)
    }

    /// Of a relationship that is its own inverse each link has two equal ends; `left` is then the
    /// smaller identity.
    package var isSymmetric: Bool { relationship.storage == .links(.both) }

    /// Whether one of the sides is a list: tags have places.
    var isList: Bool { relationship.wireProperty.rule == .list }

    /// Tags as ``LinkRows/tags(of:at:isList:)`` reads them.
    var tagColumns: String {
        isList ? "tag, tag_by, more, left_position, right_position" : "tag, tag_by, more"
    }

    package var leftEntity: EntityDescription { relationship.entity }
    package var rightEntity: EntityDescription { relationship.destination }
}
