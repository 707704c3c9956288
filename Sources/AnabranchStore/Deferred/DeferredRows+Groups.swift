import AnabranchReplication

// Values of groups that the columns of their members can't say.
extension DeferredRows {
    /// The whole value of a group; `nil` where the columns say it.
    func wholeValue(of property: TableLayout.Property, id: LocalID) throws -> Value? {
        guard property.group != nil, !isEmpty else { return nil }
        return try cells(of: id).first { $0.property == property.wire }?.value
    }

    /// Keeps a value that was written to a group where the columns do not suffice, in the place of
    /// the one before.
    func keepWhole(
        _ value: Value, of property: TableLayout.Property, id: LocalID, stamp: LocalStamp
    ) throws {
        guard property.group != nil else { return }
        if !isEmpty { try replace(property.wire, of: id, by: []) }
        if !property.isPlain(value) { try write(property.wire, value, to: id, stamp: stamp) }
    }
}
