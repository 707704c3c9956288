import Anabranch

// The errors of rows, with the place in the input and what to do.
extension RowPreparer {
    func error(_ message: String, _ cell: InputRow.Cell) -> InputError {
        InputError(file: file, place: cell.place, field: cell.name, message: message)
    }

    func error(_ link: PreparedRow.Link, _ message: String) -> InputError {
        InputError(file: file, place: link.place, field: link.field, message: message)
    }

    /// The error for a row that inserts a record without a property that it must have.
    func error(missing property: PropertyDescription, in place: InputPlace) -> InputError {
        let message =
            switch property {
            case .attribute:
                "\(plan.entity.name) requires a value here, but the row has none."
            case .relationship(let relationship): absence(relationship)
            }
        return InputError(file: file, place: place, field: property.name, message: message)
    }

    /// The message for a row without a target for a mandatory relationship.
    func absence(_ relationship: RelationshipDescription) -> String {
        "\(plan.entity.name) must refer to a record of \(relationship.destination.name) here, but "
            + "the row names none. Type --link "
            + "\(relationship.name)=COLUMN:\(relationship.destination.name).ATTRIBUTE for a "
            + "column that names one."
    }

    /// The error for a link to a record that does not exist.
    func error(
        missing key: PropertyValue, _ rule: LinkRule, _ field: String, _ place: InputPlace
    ) -> InputError {
        InputError(
            file: file, place: place, field: field,
            message: "No \(rule.destination.name) has '\(ValueText.text(key))' as "
                + "\(rule.key.name). Import those records first, or type --allow-missing "
                + "\(rule.relationship.name).")
    }

    /// The error for a link with a key that several records have.
    func ambiguity(
        of key: PropertyValue, _ link: PreparedRow.Link, _ rule: LinkRule
    ) -> InputError {
        error(
            link,
            "Several records of \(rule.destination.name) have '\(ValueText.text(key))' as "
                + "\(rule.key.name).")
    }

    /// The error for a row with a value of `--key` that several records have.
    func ambiguity(of row: PreparedRow) -> InputError {
        InputError(
            file: file, place: row.place, field: plan.key?.name,
            message: "Several records have this key, so the row can't be assigned to one of them.")
    }
}
