import AnabranchModel
import AnabranchReplication

/// Where the values of a request's columns go in a block of the change set: each to a property of
/// its own, and the members of a group together to one.
struct BlockPlaces {
    struct Group {
        let property: TableLayout.Property
        /// Of its members among the columns.
        let indices: [Int]
        /// Its place in the block.
        let place: Int
    }

    let properties: [WireProperty]
    /// Of each column, where its value goes in the block; `nil` of a member of a group, and of
    /// what is written by another operation.
    let places: [Int?]
    let groups: [Group]

    /// - Parameters:
    ///   - columns: That are written; of a group all or none.
    ///   - isTold: Whether the block says what is written to a column.
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

extension SaveOperation {
    /// Writes the groups of one record whole: a write of any member is one of all, and what this
    /// model does not know of a group is carried along.
    ///
    /// - Parameter value: Of a column, by its index.
    func append(
        groups: [BlockPlaces.Group], of id: LocalID, isNew: Bool, to block: inout RowBlockEncoder,
        value: (Int) -> Value
    ) throws {
        for group in groups {
            let property = group.property
            let carried =
                try carriedGroups[id]?[property.wire].map(Value.group)
                ?? (isNew ? nil : deferred.wholeValue(of: property, id: id))
            guard let whole = property.groupValue(group.indices.map(value), over: carried) else {
                throw Self.misfit(property.wire, of: property.entity.name)
            }
            block.append(whole, toColumn: group.place)
            if !isNew || !property.isPlain(whole) {
                try deferred.keepWhole(whole, of: property, id: id, stamp: stamp)
            }
        }
    }
}
