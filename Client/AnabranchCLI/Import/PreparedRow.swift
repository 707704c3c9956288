import Anabranch

/// A row of the input with its values in the types of the model.
struct PreparedRow {
    struct Link {
        /// The index of the link's rule in ``ImportPlan/links``.
        let rule: Int
        /// The values of the key attribute of the target records.
        let keys: [Value]
        let field: String
        let place: InputPlace
    }

    let place: InputPlace
    /// The number of the row from 1, without the heading.
    let number: Int
    var values: [(attribute: AttributeDescription, value: Value)] = []
    var links: [Link] = []
    var key: Value?
}

/// The targets of columns, looked up once for each name.
private final class ColumnTargets {
    private let plan: ImportPlan
    private var known: [String: ImportPlan.Target?] = [:]
    /// An input with more names than this uses data as names; further names are not cached.
    private static let maximumNames = 10_000

    init(_ plan: ImportPlan) { self.plan = plan }

    subscript(name: String) -> ImportPlan.Target? {
        if let target = known[name] { return target }
        let target = plan.target(ofColumn: name)
        if known.count < Self.maximumNames { known[name] = .some(target) }
        return target
    }
}

/// Converts the texts of rows to values, and refuses values that the model does not allow.
struct RowPreparer {
    let plan: ImportPlan
    let file: String
    private let targets: ColumnTargets

    init(plan: ImportPlan, file: String) {
        self.plan = plan
        self.file = file
        targets = ColumnTargets(plan)
    }

    func prepare(_ row: InputRow, number: Int) throws -> PreparedRow {
        var prepared = PreparedRow(place: row.place, number: number)
        var filled: Set<Int> = []
        for cell in row.elementCells(of: plan.entity) {
            switch targets[cell.name] {
            case .attribute(let attribute):
                guard filled.insert(attribute.slot).inserted else {
                    throw error("Another column fills \(attribute.name) already.", cell)
                }
                prepared.values.append((attribute, try value(of: cell, for: attribute)))
            case .ignored: break
            case nil: throw error(plan.advice(forColumn: cell.name), cell)
            }
        }
        for index in plan.links.indices {
            if let link = try link(of: row, index) { prepared.links.append(link) }
        }
        try findKey(of: &prepared)
        return prepared
    }

    /// Checks that a record inserted from this row alone would be complete.
    func checkIsComplete(_ row: PreparedRow) throws {
        let given = Set(row.values.map(\.attribute.name))
        for attribute in plan.entity.attributes
        where !attribute.isOptional && !attribute.isTransient && !attribute.isDerived
            && attribute.defaultValue.isNull && !given.contains(attribute.name)
        {
            throw InputError(
                file: file, place: row.place, field: attribute.name,
                message: "\(plan.entity.name) requires a value here, but the row has none.")
        }
        let linked = Set(row.links.map { plan.links[$0.rule].relationship.name })
        for relationship in plan.entity.relationships
        where !relationship.isOptional && !relationship.isToMany && !relationship.isTransient
            && !linked.contains(relationship.name)
        {
            throw InputError(
                file: file, place: row.place, field: relationship.name,
                message: absence(relationship))
        }
    }

    /// The message for a row without a target for a mandatory relationship.
    func absence(_ relationship: RelationshipDescription) -> String {
        "\(plan.entity.name) must refer to a record of \(relationship.destination.name) here, but "
            + "the row names none. Type --link "
            + "\(relationship.name)=COLUMN:\(relationship.destination.name).ATTRIBUTE for a "
            + "column that names one."
    }

    private func findKey(of row: inout PreparedRow) throws {
        guard let key = plan.key else { return }
        row.key = row.values.last { $0.attribute == key }?.value
        guard let value = row.key, !value.isNull else {
            throw InputError(
                file: file, place: row.place, field: key.name,
                message: "The row has no key, so it can't be assigned to a record.")
        }
    }

    private func value(
        of cell: InputRow.Cell, for attribute: AttributeDescription
    ) throws -> Value {
        guard let value = read(cell.content, as: attribute.type) else {
            throw error(
                "\(shown(cell.content)) is not \(ValueText.form(of: attribute.type)).", cell)
        }
        if let refusal = ValueCheck.refusal(of: value, by: attribute) { throw error(refusal, cell) }
        return value
    }

    private func read(_ content: InputRow.Content, as type: AttributeType) -> Value? {
        switch content {
        case .json(let json): return ValueText.read(json, as: type)
        case .text("", let isQuoted):
            let emptyTypes: Set<AttributeType> = [.string, .uri, .binary, .transformable]
            return isQuoted && emptyTypes.contains(type)
                ? ValueText.read("", as: type) : .null
        case .text(let text, _): return ValueText.read(text, as: type)
        }
    }

    /// The link of a row for one rule.
    ///
    /// - Returns: `nil` if the row has none of the rule's columns; the relationship then stays as
    ///   it is.
    private func link(of row: InputRow, _ index: Int) throws -> PreparedRow.Link? {
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

    private func shown(_ content: InputRow.Content) -> String {
        switch content {
        case .text(let text, _), .json(.string(let text)), .json(.number(let text)):
            "'\(ValueCheck.shown(text))'"
        case .json(let json): json.kind
        }
    }

    func error(_ message: String, _ cell: InputRow.Cell) -> InputError {
        InputError(file: file, place: cell.place, field: cell.name, message: message)
    }
}
