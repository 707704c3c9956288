import Anabranch

extension RowPreparer {
    /// Appends the link of a row for one rule.
    ///
    /// If the row has none of the rule's columns, the relationship stays as it is.
    func appendLink(of row: InputRow, _ index: Int, to prepared: inout PreparedRow) throws {
        let rule = plan.links[index]
        let cells = row.cells.filter { rule.template.columns.contains($0.name) }
        guard let first = cells.first else { return }
        let isList = rule.relationship.isToMany && rule.template.columns.count == 1
        let texts = try rule.template.keys { column in
            try cells.filter { $0.name == column }.flatMap {
                try self.texts(of: $0, rule, isList: isList)
            }
        }
        var keys: [PropertyValue] = []
        for text in texts {
            let key = try key(text, of: rule, first)
            keys.append(key.value)
            if key.isZoneAssumed { prepared.assumedZones += 1 }
        }
        prepared.links.append(
            PreparedRow.Link(rule: index, keys: keys, field: first.name, place: first.place))
    }

    private func key(
        _ text: String, of rule: LinkRule, _ cell: InputRow.Cell
    ) throws -> InputValue {
        do throws(ValueRefusal) {
            return try plan.forms.read(text, as: rule.key.type)
        } catch {
            throw self.error(
                "\(error.message) The link needs \(rule.destination.name).\(rule.key.name).", cell)
        }
    }

    /// The keys in a cell, as text; empty if the cell is empty.
    ///
    /// - Parameter isList: True if the cell may contain several keys.
    ///
    /// - Throws: ``InputError`` if the cell contains a JSON value that can't be a key.
    private func texts(of cell: InputRow.Cell, _ rule: LinkRule, isList: Bool) throws -> [String] {
        func text(ofNumber number: String) -> String {
            plan.forms.text(ofNumber: number, as: rule.key.type)
        }
        switch cell.content {
        case .text("", _), .json(.null): return []
        case .text(let text, _):
            return isList ? text.split(separator: plan.separator).map(String.init) : [text]
        case .json(.string(let text)): return [text]
        case .json(.number(let number)): return [text(ofNumber: number)]
        case .json(.array(let elements)) where isList:
            return try elements.map { element in
                switch element {
                case .string(let text): return text
                case .number(let number): return text(ofNumber: number)
                default: throw error("An array of keys holds \(element.kind).", cell)
                }
            }
        case .json(let json):
            throw error("\(json.kind) names no record. Give the record's key.", cell)
        }
    }
}
