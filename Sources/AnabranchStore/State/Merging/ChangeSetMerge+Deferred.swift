import AnabranchReplication

extension ChangeSetMerge {
    /// Updates records of an entity that this model does not have.
    mutating func updateDeferred(_ block: RowBlock, of set: IncomingSet) throws {
        for (row, record) in block.records.enumerated() {
            try update(block, row: row, ofUnheld: try transaction.localID(of: record), of: set)
        }
    }

    /// Updates a record that has no row: one of an unknown entity, a dead one or a deleted one.
    mutating func update(
        _ block: RowBlock, row: Int, ofUnheld id: LocalID, of set: IncomingSet
    ) throws {
        guard try deferred.entity(of: id) == block.entity else {
            return try meetRecordNotHeld(id, block: block, row: row, of: set)
        }
        for (property, column) in zip(block.properties, block.columns) {
            try updateDeferredCell(property, column[row], of: id, entity: block.entity, set)
        }
        noteWrite(toUnheld: id)
    }

    /// Merges a value into a register that has no column.
    ///
    /// - Parameter value: The value in its wire form.
    func updateDeferredCell(
        _ property: WireProperty, _ value: PropertyValue, of id: LocalID, entity: WireName,
        _ set: IncomingSet
    ) throws {
        let (outcome, held) = try deferred.change(property, of: id) {
            $0.write(value, to: property, stamp: set.stampOnWire)
        }
        guard let held, held.value != value else { return }
        let heldStamp = try transaction.localStamp(held.stamp)
        let isLoss =
            try outcome == .loses
            || (outcome == .replaces && journal.isConcurrent(heldStamp, with: set))
        guard isLoss, property.rule.loses else { return }
        let (lost, stamp, winner, winning) =
            outcome == .loses
            ? (value, set.stamp, heldStamp, held.value)
            : (held.value, heldStamp, set.stamp, value)
        try journal.record(
            .init(
                kind: .concurrentWrite, record: id, entity: entity, property: property,
                value: lost, lost: stamp, winner: winner, winningValue: winning))
    }
}
