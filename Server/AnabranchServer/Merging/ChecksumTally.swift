import AnabranchReplication

/// Gathers what a change set does to the checksum of a zone's state, from the parts that it takes
/// away and adds.
///
/// One part a changed row or link, whatever else its record has.
final class ChecksumTally {
    private let writer: any ZoneWriting
    private var change = StateChecksum.zero

    init(_ writer: any ZoneWriting) { self.writer = writer }

    func add(_ part: StateChecksum) { change = change &+ part }

    func add(_ row: StateRow, of entity: WireName) throws {
        change = try change &+ checksum(of: row, entity)
    }

    func remove(_ row: StateRow, of entity: WireName) throws {
        change = try change &- checksum(of: row, entity)
    }

    func remove(_ link: LinkKey, _ tags: [UInt8]) throws {
        let property = try writer.property(at: link.property)
        let held = CanonicalRecord.Link(
            property: property, right: try record(link.right),
            tags: try StoredTags.tags(
                decoding: tags, of: property, replica: writer.replica(at:)))
        change = change &- StateChecksum(of: held, from: try record(link.left))
    }

    /// - Parameters:
    ///   - before: Tags that the link had; `nil` where it was not there.
    ///   - after: Tags that it has now; `nil` where it is gone.
    func change(
        _ link: LinkBlock.Link, of property: WireProperty, from before: LinkTags?,
        to after: LinkTags?
    ) {
        func part(_ tags: LinkTags) -> StateChecksum {
            StateChecksum(
                of: CanonicalRecord.Link(property: property, right: link.right, tags: tags),
                from: link.left)
        }
        if let before { change = change &- part(before) }
        if let after { change = change &+ part(after) }
    }

    /// Writes the checksum as it is from now on.
    func keep() throws {
        guard change != .zero else { return }
        try writer.setChecksum(try writer.checksum() &+ change)
        change = .zero
    }

    // MARK: -

    private func record(_ key: RecordKey) throws -> RecordID {
        RecordID(replica: try writer.replica(at: key.ordinal), number: key.number)
    }

    private func checksum(of row: StateRow, _ entity: WireName) throws -> StateChecksum {
        let list = try CellList(
            decoding: row.cells, timestamp: row.timestamp, author: row.author)
        var canonical = CanonicalRecord(id: try record(row.key), entity: entity)
        canonical.cells = try list.cells.map { cell in
            CanonicalRecord.Cell(
                property: try writer.property(at: cell.property),
                value: try StoredValue.value(
                    decoding: cell.value, replica: writer.replica(at:)),
                stamp: Stamp(
                    timestamp: HybridTimestamp(rawValue: cell.timestamp),
                    replica: try writer.replica(at: cell.author)))
        }
        canonical.deleteMark = try row.seen.map {
            DeleteMark(seen: try StoredTags.stamps(decoding: $0, replica: writer.replica(at:)))
        }
        return StateChecksum(ofRow: canonical.encoded())
    }
}
