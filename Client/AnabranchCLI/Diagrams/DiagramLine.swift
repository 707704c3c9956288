import Anabranch

/// A line between two boxes of a diagram: a relationship with its inverse, or an inheritance.
struct DiagramLine {
    /// The mark at one end of a line.
    enum Head: String {
        /// The relationship from the other end refers to one object here.
        case one
        /// The relationship from the other end refers to any number of objects here.
        case many
        /// The entity here is the super-entity.
        case parent
    }

    /// The positions of the boxes, the one that is drawn above first if the layout allows it.
    let upper: Int
    let lower: Int
    let upperHead: Head?
    let lowerHead: Head?
    /// The meaning of the line as a text.
    let title: String

    var isInheritance: Bool { upperHead == .parent }
    var isLoop: Bool { upper == lower }

    /// The lines of a model, the inheritances first.
    ///
    /// The end with a to-many is above its objects, and a super-entity above its sub-entities.
    static func all(of model: ManagedObjectModel) -> [DiagramLine] {
        let inheritances = model.entities.compactMap { entity in
            entity.superentity.map { parent in
                DiagramLine(
                    upper: parent.index, lower: entity.index, upperHead: .parent, lowerHead: nil,
                    title: "\(entity.name) inherits from \(parent.name)")
            }
        }
        let relationships = model.entities.flatMap { entity in
            entity.relationships.filter { $0.entity == entity && isFirst($0) }.map(line)
        }
        return inheritances + relationships
    }

    /// Returns true for the one of two inverses that begins at the upper box.
    private static func isFirst(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse, inverse != relationship else { return true }
        if relationship.isToMany != inverse.isToMany { return relationship.isToMany }
        return (relationship.entity.index, relationship.slot)
            < (inverse.entity.index, inverse.slot)
    }

    private static func line(_ relationship: RelationshipDescription) -> DiagramLine {
        let inverse = relationship.inverse
        let title =
            inverse.map { $0 == relationship ? "\(relationship)" : "\(relationship) – \($0)" }
            ?? "\(relationship)"
        return DiagramLine(
            upper: relationship.entity.index, lower: relationship.destination.index,
            upperHead: inverse.map(head), lowerHead: head(relationship), title: title)
    }

    private static func head(_ relationship: RelationshipDescription) -> Head {
        relationship.isToMany ? .many : .one
    }
}
