import Anabranch

/// Converts the texts of rows to values, and refuses values that the model does not allow.
struct RowPreparer {
    let plan: ImportPlan
    let file: String
    private let targets: ColumnTargets
    private let mandatory: [PropertyDescription]

    /// - Parameter columns: The columns that every row has; `nil` if each row has its own.
    init(plan: ImportPlan, file: String, columns: [String]?) {
        self.plan = plan
        self.file = file
        targets = ColumnTargets(plan, columns)
        mandatory = Self.mandatoryProperties(of: plan.entity)
    }

    /// True if a row can lack something.
    var hasMandatoryProperties: Bool { !mandatory.isEmpty }

    private static func mandatoryProperties(of entity: EntityDescription) -> [PropertyDescription] {
        let attributes = entity.attributes.filter {
            !$0.isOptional && !$0.isTransient && !$0.isDerived && $0.initialValue.isNull
        }
        let relationships = entity.relationships.filter {
            !$0.isOptional && !$0.isToMany && !$0.isTransient
        }
        return attributes.map { .attribute($0) } + relationships.map { .relationship($0) }
    }

    /// Converts a row.
    ///
    /// - Parameter number: The number of the row from 1, without the heading.
    func prepare(_ row: InputRow, number: Int) throws -> PreparedRow {
        var prepared = PreparedRow(place: row.place, number: number)
        prepared.values.reserveCapacity(row.cells.count)
        if let columns = targets.columns {
            for (cell, column) in zip(row.cells, columns) {
                guard let attribute = column.attribute else { continue }
                guard !column.isRepeated else { throw repetition(of: attribute, cell) }
                try append(cell, for: attribute, to: &prepared)
            }
        } else {
            try prepareMembers(of: row, &prepared)
        }
        for index in plan.links.indices {
            try appendLink(of: row, index, to: &prepared)
        }
        try findKey(of: &prepared)
        return prepared
    }

    /// Converts a row that names each of its values.
    private func prepareMembers(of row: InputRow, _ prepared: inout PreparedRow) throws {
        for cell in row.elementCells(of: plan.entity) {
            switch targets[cell.name] {
            case .attribute(let attribute):
                guard prepared.value(of: attribute) == nil else {
                    throw repetition(of: attribute, cell)
                }
                try append(cell, for: attribute, to: &prepared)
            case .ignored: break
            case nil: throw error(plan.advice(forColumn: cell.name), cell)
            }
        }
    }

    private func repetition(
        of attribute: AttributeDescription, _ cell: InputRow.Cell
    ) -> InputError {
        error("Another column fills \(attribute.name) already.", cell)
    }

    /// Checks that a record inserted from this row alone would be complete.
    func checkIsComplete(_ row: PreparedRow) throws {
        guard let property = missingProperty(of: row) else { return }
        throw error(missing: property, in: row.place)
    }

    /// The first property that a record must have and that the row does not mention; `nil` if
    /// there is none.
    func missingProperty(of row: PreparedRow) -> PropertyDescription? {
        mandatory.first { property in
            switch property {
            case .attribute(let attribute): row.value(of: attribute) == nil
            case .relationship(let relationship):
                !row.links.contains { plan.links[$0.rule].relationship == relationship }
            }
        }
    }

    private func findKey(of row: inout PreparedRow) throws {
        guard let key = plan.key else { return }
        row.key = row.value(of: key)
        guard let value = row.key, !value.isNull else {
            throw InputError(
                file: file, place: row.place, field: key.name,
                message: "The row has no key, so it can't be assigned to a record.")
        }
    }

    /// Appends the value that a cell gives to an attribute.
    private func append(
        _ cell: InputRow.Cell, for attribute: AttributeDescription, to row: inout PreparedRow
    ) throws {
        let read: InputValue
        do throws(ValueRefusal) {
            read = try plan.forms.read(cell.content, for: attribute)
        } catch {
            throw self.error(error.message, cell)
        }
        if let refusal = ValueCheck.refusal(of: read.value, by: attribute) {
            throw error(refusal, cell)
        }
        row.values.append((attribute.slot, read.value))
        if read.isZoneAssumed { row.assumedZones += 1 }
    }
}
