import Anabranch

/// A rule that finds the targets of a relationship by a column: `RELATIONSHIP=COLUMN:ENTITY.KEY`.
struct LinkRule {
    let relationship: RelationshipDescription
    let template: KeyTemplate
    let destination: EntityDescription
    let key: AttributeDescription
    /// True if a key without a record leaves the relationship empty.
    let allowsMissing: Bool

    /// True if a record must have a target.
    var isMandatory: Bool { !relationship.isOptional && !relationship.isToMany }

    init(
        _ text: String, entity: EntityDescription, model: ManagedObjectModel,
        arguments: ParsedArguments
    ) throws(UsageError) {
        guard let equals = text.firstIndex(of: "="), let colon = text.lastIndex(of: ":"),
            equals < colon, let dot = text[colon...].firstIndex(of: ".")
        else {
            throw arguments.error(
                "--link takes RELATIONSHIP=COLUMN:ENTITY.KEY, as "
                    + "country=country_code:Country.code, not '\(text)'.")
        }
        let name = String(text[..<equals])
        guard let relationship = entity.property(named: name)?.relationship else {
            throw arguments.error("\(entity.name) has no relationship '\(name)'.")
        }
        guard !relationship.isTransient else {
            throw arguments.error("\(entity.name).\(name) is transient, so it is never stored.")
        }
        self.relationship = relationship
        template = try KeyTemplate(String(text[text.index(after: equals)..<colon]), arguments)
        destination = try EntityNames.entity(
            String(text[text.index(after: colon)..<dot]), in: model, command: arguments.command)
        guard destination.isKind(of: relationship.destination) else {
            throw arguments.error(
                "\(entity.name).\(name) refers to \(relationship.destination.name), not to "
                    + "\(destination.name).")
        }
        key = try ImportPlan.attribute(
            String(text[text.index(after: dot)...]), of: destination, arguments)
        allowsMissing = arguments.texts("allow-missing").contains(name)
        guard !allowsMissing || !isMandatory else {
            throw arguments.error(
                "\(entity.name).\(name) can't be left empty because the model makes it mandatory.")
        }
    }
}
