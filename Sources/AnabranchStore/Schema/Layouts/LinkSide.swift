import AnabranchModel
import AnabranchReplication

/// One side of a relationship that is stored as links: the side of the records that have it.
struct LinkSide {
    let layout: LinkLayout
    let relationship: RelationshipDescription
    /// True if the records of this side are the left ends.
    let isLeft: Bool

    /// The entity at the other end.
    var destination: EntityDescription { relationship.destination }

    /// True if the links show the values that records of this side have of another property, which
    /// the relationship was in another version of the model.
    func shows(_ former: WireProperty) -> Bool {
        layout.relationship.wireProperty.showsLinks(
            of: former, named: relationship.declaredWireName)
    }
}

extension EntityLayout {
    /// The sides of links that the entity's records have, by their own wire names.
    static func linkSides(left: [LinkLayout], right: [LinkLayout]) -> [WireName: LinkSide] {
        let sides =
            left.map { LinkSide(layout: $0, relationship: $0.relationship, isLeft: true) }
            + right.compactMap { layout in
                guard !layout.isSymmetric, let inverse = layout.relationship.inverse else {
                    return nil
                }
                return LinkSide(layout: layout, relationship: inverse, isLeft: false)
            }
        return Dictionary(
            sides.map { ($0.relationship.declaredWireName, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The side of links that shows the values of a property which this model does not have; `nil`
    /// if there is none.
    func linkSide(showing former: WireProperty) -> LinkSide? {
        guard let side = linkSides[former.name], side.shows(former) else { return nil }
        return side
    }

    /// The columns of dropped to-ones that the entity's records have, and that links of the model
    /// show.
    var droppedReferencesShownAsLinks: [DroppedColumn] {
        table.dropped.filter { dropped in
            dropped.kind == .reference && entity.isKind(of: dropped.entity)
                && linkSide(showing: dropped.wire) != nil
        }
    }
}
