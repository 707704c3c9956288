import AnabranchReplication

/// Accumulates the change of a zone's state checksum while one change set is merged.
///
/// The checksum is a sum over rows and links, so a change adds and removes only their parts.
final class ChecksumDelta {
    private let writer: ZoneDraft
    private var change = StateChecksum.zero

    init(_ writer: ZoneDraft) { self.writer = writer }

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

    /// Changes the part of one link.
    ///
    /// - Parameters:
    ///   - before: The tags that the link had; `nil` if it did not exist.
    ///   - after: The tags that it has now; `nil` if it was removed.
    func change(
        _ link: ChangedLinks.CanonicalLink, from before: LinkTags?, to after: LinkTags?
    ) {
        func part(_ tags: LinkTags) -> StateChecksum {
            StateChecksum(
                of: CanonicalRecord.Link(property: link.property, right: link.right, tags: tags),
                from: link.left)
        }
        if let before { change = change &- part(before) }
        if let after { change = change &+ part(after) }
    }

    /// Adds the accumulated change to the stored checksum.
    func keep() {
        guard change != .zero else { return }
        writer.setChecksum(writer.checksum() &+ change)
        change = .zero
    }

    // MARK: -

    private func record(_ key: RecordKey) throws -> RecordID {
        RecordID(replica: try writer.replica(at: key.ordinal), number: key.number)
    }

    /// The checksum of the bytes that `CanonicalRecord.encoded()` would return.
    ///
    /// The row's cells already have that encoding, except for references, so they are not decoded.
    private func checksum(of row: StateRow, _ entity: WireName) throws -> StateChecksum {
        let list = try CellList(of: row)
        let size = 128 + row.cells.count + list.count * 48
        var bytes = ByteWriter(reservingCapacity: min(size, Self.maximumReserved))
        bytes.append(record: try record(row.key))
        bytes.append(string: entity.string)
        bytes.append(byte: row.seen == nil ? 0 : 1)
        if let seen = row.seen {
            let mark = DeleteMark(
                seen: try StoredTags.stamps(decoding: seen, replica: writer.replica(at:)))
            bytes.append(count: mark.seen.count)
            for stamp in mark.seen { bytes.append(stamp: stamp) }
        }
        bytes.append(count: list.count)
        for cell in try inCanonicalOrder(list.cells) {
            bytes.append(raw: try known(cell.property).bytes)
            bytes.append(
                stamp: Stamp(
                    timestamp: HybridTimestamp(rawValue: cell.timestamp),
                    replica: try writer.replica(at: cell.author)))
            if cell.value.tag == ValueTag.reference {
                bytes.append(tagged: try cell.value.value(replica: writer.replica(at:)))
            } else {
                cell.value.write(to: &bytes)
            }
        }
        bytes.append(count: 0)
        bytes.append(count: 0)
        return StateChecksum(ofRow: bytes)
    }

    /// Above this size there are large values, which are not copied into the bytes.
    private static let maximumReserved = 1 << 20

    // MARK: Properties

    private var known: [Int64: (property: WireProperty, bytes: [UInt8])] = [:]
    /// The properties of the last row and the order of its cells. Most rows of a change set have
    /// the same properties.
    private var last: (properties: [Int64], order: [Int]) = ([], [])

    private func known(_ number: Int64) throws -> (property: WireProperty, bytes: [UInt8]) {
        if let known = known[number] { return known }
        let property = try writer.property(at: number)
        var bytes = ByteWriter()
        bytes.append(property: property)
        known[number] = (property, bytes.bytes)
        return (property, bytes.bytes)
    }

    /// Sorts cells into the canonical order of their properties.
    ///
    /// - Parameter cells: Sorted by property number, those of one property by stamp.
    private func inCanonicalOrder(_ cells: [CellList.Cell]) throws -> [CellList.Cell] {
        let numbers = cells.map(\.property)
        if last.properties != numbers {
            let properties = try numbers.map { try known($0).property }
            last = (
                numbers,
                cells.indices.sorted {
                    numbers[$0] == numbers[$1] ? $0 < $1 : properties[$0] < properties[$1]
                }
            )
        }
        return last.order.map { cells[$0] }
    }
}
