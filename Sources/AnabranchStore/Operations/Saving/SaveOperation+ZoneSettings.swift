import AnabranchReplication

extension SaveOperation {
    /// Writes a setting of the zone.
    mutating func set(
        _ property: WireProperty, to value: PropertyValue, author: String, name: String
    ) throws -> SaveResult {
        try checkNames(author, name)
        transaction.isSaving = true
        let held = try ZoneSettingRows(connection: connection).record()
        let id = try held ?? transaction.reserveNumbers(1).lowerBound
        let block = RowBlock(
            entity: ZoneSettings.entity, records: [try transaction.recordID(of: id)],
            properties: [property], columns: [[value]])
        if held == nil {
            try deferred.insert(block, stamp: stamp)
            encoder.append(.insert(block))
        } else {
            let wireStamp = try deferred.wireStamp(stamp)
            try deferred.change(property, of: id) {
                $0.write(value, to: property, stamp: wireStamp)
            }
            encoder.append(.update(block))
        }
        return try finish(author: author, name: name)
    }
}
