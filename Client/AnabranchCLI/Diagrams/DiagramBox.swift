import Anabranch

/// The box of one entity in a diagram: its name, its attributes and its relationships.
struct DiagramBox {
    /// One property, with its text and the path by which tools find it.
    struct Row {
        let path: String
        let text: String
    }

    let name: String
    let isAbstract: Bool
    let attributes: [Row]
    let relationships: [Row]
    /// The size; a diagram makes a box wider that has many lines.
    var width: Double
    let height: Double

    static let headHeight = 28.0
    static let rowHeight = 18.0
    /// The space above and below the rows of one part.
    static let rowMargin = 6.0
    static let textMargin = 10.0
    /// The width of a column of text at 12 pixels in a font with equal widths.
    private static let columnWidth = 7.3
    /// The width of a column of an entity's name at 13 pixels.
    private static let nameColumnWidth = 8.2

    /// Makes the box of an entity, with the properties that the entity declares itself.
    init(_ entity: EntityDescription) {
        name = entity.name
        isAbstract = entity.isAbstract
        attributes = entity.attributes.filter { $0.entity == entity }.map { attribute in
            let optional = attribute.isOptional ? "?" : ""
            return Row(
                path: "\(attribute)", text: "\(attribute.name): \(attribute.type)\(optional)")
        }
        relationships = entity.relationships.filter { $0.entity == entity }.map { relationship in
            let optional = relationship.isOptional ? "?" : ""
            let destination = relationship.destination.name
            let type = relationship.isToMany ? "[\(destination)]" : destination + optional
            return Row(path: "\(relationship)", text: "\(relationship.name): \(type)")
        }
        let columns = (attributes + relationships).map { CharacterWidth.width(of: $0.text) }.max()
        width =
            2 * Self.textMargin
            + max(
                Double(columns ?? 0) * Self.columnWidth,
                Double(CharacterWidth.width(of: name)) * Self.nameColumnWidth, 60)
        height =
            Self.headHeight + Self.height(of: attributes.count)
            + Self.height(of: relationships.count)
    }

    /// The height of a part with that many rows; a part without rows is left out.
    static func height(of rowCount: Int) -> Double {
        rowCount == 0 ? 0 : Double(rowCount) * rowHeight + 2 * rowMargin
    }
}
