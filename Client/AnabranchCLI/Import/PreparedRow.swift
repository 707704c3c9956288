import Anabranch

/// A row of the input with its values in the types of the model.
struct PreparedRow {
    struct Link {
        /// The index of the link's rule in ``ImportPlan/links``.
        let rule: Int
        /// The values of the key attribute of the target records.
        let keys: [PropertyValue]
        let field: String
        let place: InputPlace
    }

    let place: InputPlace
    /// The number of the row from 1, without the heading.
    let number: Int
    /// The values of attributes, by their slots.
    var values: [(slot: Int, value: PropertyValue)] = []
    var links: [Link] = []
    var key: PropertyValue?
    /// The number of times without an offset that were read as UTC.
    var assumedZones = 0

    /// The value that the row gives to an attribute; `nil` if it gives none.
    func value(of attribute: AttributeDescription) -> PropertyValue? {
        values.last { $0.slot == attribute.slot }?.value
    }
}
