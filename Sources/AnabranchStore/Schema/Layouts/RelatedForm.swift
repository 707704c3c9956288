import AnabranchModel

/// The form of a SELECT of related objects. The schema has one text for each form.
///
/// The SELECT of one owner finds it by a parameter. That of several owners has them in a JSON
/// array, which SQLite has to read and to sort by.
struct RelatedForm: Hashable {
    private let relationship: RelationshipDescription
    /// The column of the owners in a table of links; empty for any other table.
    private let column: String
    private let isOfOne: Bool
    private let hasRows: Bool

    init(
        _ relationship: RelationshipDescription, by column: String = "", isOfOne: Bool,
        hasRows: Bool
    ) {
        self.relationship = relationship
        self.column = column
        self.isOfOne = isOfOne
        self.hasRows = hasRows
    }

    /// The table of the owners, before the others.
    var owners: String { isOfOne ? "" : "json_each(?) j CROSS JOIN " }
    /// The ID of an owner.
    var owner: String { isOfOne ? "?" : "j.value" }
    /// The first key of the order.
    var order: String { isOfOne ? "" : "j.key, " }
}
