/// The state of one record before any view rule, equal on every replica and on the server that hold
/// the same change sets.
package struct CanonicalRecord: Hashable, Sendable {
    /// A held value. A property has one cell, or under `keepBoth` one for each sibling.
    package struct Cell: Hashable, Sendable {
        /// The property that the value belongs to.
        package var property: WireProperty
        /// The value; null if null was written.
        package var value: PropertyValue
        /// The stamp of the write that left the value.
        package var stamp: Stamp

        package init(property: WireProperty, value: PropertyValue, stamp: Stamp) {
            self.property = property
            self.value = value
            self.stamp = stamp
        }
    }

    /// A link that has this record as its left end.
    package struct Link: Hashable, Sendable {
        package var property: WireProperty
        /// The record at the right end.
        package var right: RecordID
        /// The tags of the link; never empty while the link exists.
        package var tags: LinkTags

        package init(property: WireProperty, right: RecordID, tags: LinkTags) {
            self.property = property
            self.right = right
            self.tags = tags
        }
    }

    package var id: RecordID
    /// The wire name of the record's entity.
    package var entity: WireName
    /// A cell for every property that was ever written, null included.
    package var cells: [Cell]
    /// The links that have this record as their left end.
    package var links: [Link]
    /// The stamps that `updateWins` deletes of the record have seen, or `nil` if there was no such
    /// delete.
    package var deleteMark: DeleteMark?

    /// Creates a record from its parts, in any order.
    package init(
        id: RecordID, entity: WireName, cells: [Cell] = [], links: [Link] = [],
        deleteMark: DeleteMark? = nil
    ) {
        self.id = id
        self.entity = entity
        self.cells = cells
        self.links = links
        self.deleteMark = deleteMark
    }

    /// Indicates whether the record is dead: deleted under `updateWins`, without a register value
    /// that its deletes have not seen.
    package var isDead: Bool {
        guard let deleteMark else { return false }
        return deleteMark.isDead(
            holding: cells.lazy.filter { $0.property.rule.isRegister }.map(\.stamp))
    }

    /// Encodes the record as the canonical hash covers it: cells ordered by property and stamp,
    /// links by property and end.
    ///
    /// The byte after the entity is 1 if there is a delete mark, which follows it, even when the
    /// record is not dead. The zero at the end is the number of kept operations with unknown rules,
    /// reserved for later versions.
    package func encoded() -> [UInt8] { written().bytes }

    /// Encodes the record without copying its large values.
    package func written() -> ByteWriter { written(links: links) }

    /// Encodes the record with other links than its own.
    func written(links: [Link]) -> ByteWriter {
        var writer = ByteWriter(reservingCapacity: 64 + cells.count * 48)
        writer.append(record: id)
        writer.append(string: entity.string)
        writer.append(byte: deleteMark == nil ? 0 : 1)
        if let deleteMark { writer.append(stamps: deleteMark.seen) }
        writer.append(count: cells.count)
        for cell in cells.sorted(by: { ($0.property, $0.stamp) < ($1.property, $1.stamp) }) {
            writer.append(property: cell.property)
            writer.append(stamp: cell.stamp)
            writer.append(tagged: cell.value)
        }
        writer.append(count: links.count)
        let sorted = links.sorted {
            $0.property != $1.property ? $0.property < $1.property : $0.right < $1.right
        }
        for link in sorted {
            writer.append(property: link.property)
            writer.append(record: link.right)
            writer.append(link.tags, of: link.property)
        }
        writer.append(count: 0)
        return writer
    }
}

extension ByteWriter {
    fileprivate mutating func append(stamps: [Stamp]) {
        append(count: stamps.count)
        for stamp in stamps { append(stamp: stamp) }
    }
}

/// Computes the canonical hash of a whole merged state. It is equal if the version vectors are
/// equal (invariant 7).
package struct CanonicalHash: ~Copyable {
    private var builder = DigestBuilder()
    private var previous: RecordID?

    /// Begins the hash of a state without records.
    package init() {}

    /// Adds the next record of the state.
    ///
    /// - Parameter record: A record with a greater identity than the one before.
    package mutating func update(_ record: CanonicalRecord) {
        precondition(
            previous.map { $0 < record.id } ?? true,
            "records must come in ascending order of their identities")
        previous = record.id
        builder.update(Digest(of: record.written()))
    }

    /// Returns the hash of all records that were added.
    package consuming func finish() -> Digest { builder.finish() }
}
