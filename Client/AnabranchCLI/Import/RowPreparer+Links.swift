import Anabranch

extension RowPreparer {
    /// The link of a row for one rule.
    ///
    /// - Returns: `nil` if the row has none of the rule's columns; the relationship then stays as
    ///   it is.
    func link(of row: InputRow, _ index: Int) throws -> PreparedRow.Link? {
        let rule = plan.links[index]
        let cells = row.cells.filter { rule.template.columns.contains($0.name) }
        guard let first = cells.first else { return nil }
        let isList = rule.relationship.isToMany && rule.template.columns.count == 1
        let texts = try rule.template.keys { column in
            try cells.filter { $0.name == column }.flatMap {
                try self.texts(of: $0, isList: isList)
            }
        }
        let keys = try texts.map { text in
            guard let key = ValueText.read(text, as: rule.key.type) else {
                throw error(
                    "'\(text)' is not \(ValueText.form(of: rule.key.type)), which "
                        + "\(rule.destination.name).\(rule.key.name) holds.", first)
            }
            return key
        }
        return PreparedRow.Link(rule: index, keys: keys, field: first.name, place: first.place)
    }

    /// The keys in a cell, as text; empty if the cell is empty.
    ///
    /// - Parameter isList: True if the cell may contain several keys.
    ///
    /// - Throws: ``InputError`` if the cell contains a JSON value that can't be a key.
    private func texts(of cell: InputRow.Cell, isList: Bool) throws -> [String] {
        switch cell.content {
        case .text("", _), .json(.null): return []
        case .text(let text, _):
            return isList ? text.split(separator: plan.separator).map(String.init) : [text]
        case .json(.string(let text)), .json(.number(let text)): return [text]
        case .json(.array(let elements)) where isList:
            return try elements.map { element in
                switch element {
                case .string(let text), .number(let text): return text
                default: throw error("An array of keys holds \(element.kind).", cell)
                }
            }
        case .json(let json):
            throw error("\(json.kind) names no record. Give the record's key.", cell)
        }
    }
}
