import AnabranchModel
import AnabranchReplication

extension SaveOperation {
    /// Adds the whole values of one record's attribute groups: a write of any member writes all.
    /// Members that this model does not know are carried over.
    ///
    /// - Parameter value: Returns the value of a column, given its index.
    func append(
        groups: [BlockMapping.Group], of id: LocalID, isNew: Bool, to block: inout RowBlockEncoder,
        value: (Int) -> PropertyValue
    ) throws {
        for group in groups {
            let property = group.property
            let carried =
                try carriedGroups[id]?[property.wire].map(PropertyValue.group)
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
