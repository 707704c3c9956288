import AnabranchReplication

// Values of attribute groups that the columns of their members cannot represent.
extension DeferredRows {
    /// The whole value of an attribute group; `nil` if the columns represent it.
    func wholeValue(of property: TableLayout.Property, id: LocalID) throws -> Value? {
        guard property.group != nil, !isEmpty else { return nil }
        return try cells(of: id).first { $0.property == property.wire }?.value
    }

    /// Keeps the written value of an attribute group if the columns cannot represent it. It
    /// replaces the previous value.
    func keepWhole(
        _ value: Value, of property: TableLayout.Property, id: LocalID, stamp: LocalStamp
    ) throws {
        guard property.group != nil else { return }
        if !isEmpty { try replace(property.wire, of: id, by: []) }
        if !property.isPlain(value) { try write(property.wire, value, to: id, stamp: stamp) }
    }
}
