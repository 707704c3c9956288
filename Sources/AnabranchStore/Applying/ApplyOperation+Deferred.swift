import AnabranchReplication

extension ApplyOperation {
    /// Updates records of an entity that this model does not have.
    mutating func updateDeferred(_ block: RowBlock, of set: IncomingSet) throws {
        for (row, record) in block.records.enumerated() {
            let id = try transaction.localID(of: record)
            guard try deferred.entity(of: id) == block.entity else {
                try meetRecordNotHeld(id, record: record, block: block, row: row, of: set)
                continue
            }
            for (property, column) in zip(block.properties, block.columns) {
                try updateDeferredCell(property, column[row], of: id, entity: block.entity, set)
            }
        }
    }

    /// Merges a value into a property that this model does not have.
    ///
    /// - Parameter value: As it travels.
    func updateDeferredCell(
        _ property: WireProperty, _ value: Value, of id: LocalID, entity: WireName,
        _ set: IncomingSet
    ) throws {
        let held = try deferred.cell(property, of: id)
        let outcome = outcome(of: set.stamp, over: held?.stamp)
        if outcome == .takes {
            try deferred.write(property, value, to: id, stamp: set.stamp)
        }
        guard let held, held.value != value else { return }
        let isLoss =
            try outcome == .keeps
            || (outcome == .takes && journal.isConcurrent(held.stamp, with: set))
        guard isLoss else { return }
        let (lost, stamp, winner) =
            outcome == .keeps
            ? (value, set.stamp, held.stamp) : (held.value, held.stamp, set.stamp)
        try journal.record(
            .init(
                kind: .concurrentWrite, record: id, entity: entity, property: property,
                value: lost, lost: stamp, winner: winner))
    }
}
