import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveScope {
    func walk(_ start: NaiveCell, _ steps: ArraySlice<PathStep>) throws -> NaiveCell {
        var cell = start
        var rest = steps
        while let step = rest.popFirst() {
            switch step {
            case .key(let key): cell = try follow(whole(key, &rest), cell)
            case .size: cell = try count(cell)
            case .collectionOperator("count"): cell = try count(cell)
            case .collectionOperator(let name):
                while case .key(let key)? = rest.first {
                    rest.removeFirst()
                    cell = try follow(whole(key, &rest), cell)
                }
                cell = try collect(name, cell)
            case .first: cell = try element(of: cell) { _ in 0 }
            case .last: cell = try element(of: cell) { $0 - 1 }
            case .index(let expression):
                let position = try self.cell(expression)
                guard case .number(.integer(let index)) = position.value, index >= 0
                else { throw NaiveDoubt() }
                cell = try element(of: cell) { _ in Int(index) }
            }
        }
        return cell
    }

    /// A key with those that follow it in a composite attribute.
    private func whole(_ key: String, _ rest: inout ArraySlice<PathStep>) -> String {
        var key = key
        while graph.model.entities.contains(where: { $0.compositeAttribute(named: key) != nil }),
            case .key(let next)? = rest.first
        {
            rest.removeFirst()
            key += "." + next
        }
        return key
    }

    func element(of cell: NaiveCell, _ position: (Int) -> Int) throws -> NaiveCell {
        switch cell.value {
        case .missingCollection: return .missing
        case .collection(let elements):
            guard elements.isOrdered else { throw NaiveDoubt() }
            let index = position(elements.cells.count)
            return elements.cells.indices.contains(index) ? elements.cells[index] : .missing
        default: throw NaiveDoubt()
        }
    }

    func follow(_ key: String, _ cell: NaiveCell) throws -> NaiveCell {
        switch cell.value {
        case .missingCollection: return cell
        case .missing: return try followMissing(key, cell)
        case .object(let reference): return try follow(key, reference)
        case .text(let text):
            if cell.origin == .entityName && key == "name" { return cell }
            guard key == "length" else { throw NaiveDoubt() }
            return .integer(text.utf16.count)
        case .collection(let elements):
            var found: [NaiveCell] = []
            for element in elements.cells {
                let next = try follow(key, element)
                switch next.value {
                case .collection(let inner): found += inner.cells
                case .missingCollection: break
                default: found.append(next)
                }
            }
            return NaiveCell(
                .collection(NaiveElements(cells: found, isDoubtful: elements.isDoubtful)))
        default: throw NaiveDoubt()
        }
    }

    func followMissing(_ key: String, _ cell: NaiveCell) throws -> NaiveCell {
        guard let property = cell.entity?.property(named: key) else { return .missing }
        switch property {
        case .attribute(let attribute): return NaiveCell(.missing, .attribute(attribute.type))
        case .relationship(let relationship):
            if relationship.isToMany { return NaiveCell(.missingCollection) }
            return .missingObject(relationship.destination)
        }
    }

    func follow(_ key: String, _ reference: PredicateObjectReference) throws -> NaiveCell {
        guard AnyHashable(reference.store) == AnyHashable(SampleGraph.store),
            let row = graph.rows[reference.record]
        else { throw NaiveDoubt() }
        switch row.entity.property(named: key) {
        case .attribute(let attribute)?:
            if [.undefined, .transformable].contains(attribute.type) { throw NaiveDoubt() }
            let value = try NaiveValue(row.values[key] ?? .null)
            return NaiveCell(value, .attribute(attribute.type))
        case .relationship(let relationship)?: return targets(of: relationship, row)
        case nil:
            if key == "self" || key == "SELF" { return .object(row.id) }
            guard key == "entity" else { throw NaiveDoubt() }
            return NaiveCell(.text(row.entity.name), .entityName)
        }
    }

    func targets(
        of relationship: RelationshipDescription, _ row: SampleGraph.Row
    ) -> NaiveCell {
        let cells = graph.content(of: relationship, at: row.id).map { target in
            NaiveCell.object(target.row.id)
        }
        guard relationship.isToMany else {
            return cells.first ?? .missingObject(relationship.destination)
        }
        return NaiveCell(
            .collection(NaiveElements(cells: cells, isOrdered: relationship.isOrdered)))
    }
}
