import Anabranch

extension InputRow {
    /// The cells with one for each element of a composite attribute.
    ///
    /// In JSON a composite attribute is an object with its elements as members. `null` gives no
    /// element a value. An element that the object lacks is not mentioned, as in a table without
    /// its column.
    func elementCells(of entity: EntityDescription) -> [Cell] {
        guard !entity.compositeAttributes.isEmpty else { return cells }
        return cells.flatMap { Self.elementCells(of: $0, entity) }
    }

    private static func elementCells(of cell: Cell, _ entity: EntityDescription) -> [Cell] {
        guard let composite = entity.compositeAttribute(named: cell.name) else { return [cell] }
        switch cell.content {
        case .json(.object(let members)):
            return members.flatMap { member in
                elementCells(
                    of: Cell(
                        name: "\(cell.name).\(member.name)", content: .json(member.value),
                        place: member.place), entity)
            }
        case .json(.null):
            return composite.attributes.map {
                Cell(name: $0.name, content: cell.content, place: cell.place)
            }
        default: return [cell]
        }
    }
}
