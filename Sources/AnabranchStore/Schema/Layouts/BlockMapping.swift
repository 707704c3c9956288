import AnabranchModel
import AnabranchReplication

/// The mapping from the columns of a request to the properties of a block. Each column is a
/// property of its own, except that the members of an attribute group are one property together.
struct BlockMapping {
    struct Group {
        let property: TableLayout.Property
        /// The indices of its members among the columns.
        let indices: [Int]
        /// The property's index in the block.
        let place: Int
    }

    let properties: [WireProperty]
    /// The index in the block by column; `nil` for a member of an attribute group, and for a column
    /// that another operation writes.
    let places: [Int?]
    let groups: [Group]

    /// Creates the mapping.
    ///
    /// - Parameters:
    ///   - columns: The columns that are written; all members of an attribute group or none.
    ///   - isTold: Returns true if the block contains the values of a column.
    init(
        _ columns: [TableLayout.Column],
        where isTold: (TableLayout.Column) -> Bool = { _ in true }
    ) {
        var places = [Int?](repeating: nil, count: columns.count)
        var groups: [Group] = []
        let told = columns.indices.filter { isTold(columns[$0]) }
        let properties = TableLayout.properties(of: told.map { columns[$0] })
        for (place, property) in properties.enumerated() {
            let indices = property.slots.compactMap { slot in
                told.first { columns[$0].slot == slot }
            }
            if property.group != nil {
                groups.append(Group(property: property, indices: indices, place: place))
            } else {
                for index in indices { places[index] = place }
            }
        }
        self.properties = properties.map(\.wire)
        self.places = places
        self.groups = groups
    }
}
