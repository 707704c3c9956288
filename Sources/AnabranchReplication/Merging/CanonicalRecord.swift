/// A record as every replica and the server must have it, before any view rule.
public struct CanonicalRecord: Hashable, Sendable {
    public struct Cell: Hashable, Sendable {
        public var property: WireProperty
        public var value: Value
        public var stamp: Stamp

        public init(property: WireProperty, value: Value, stamp: Stamp) {
            self.property = property
            self.value = value
            self.stamp = stamp
        }
    }

    /// A link of which this record is the left end.
    public struct Link: Hashable, Sendable {
        public var property: WireProperty
        public var right: RecordID
        public var tags: LinkTags

        public init(property: WireProperty, right: RecordID, tags: LinkTags) {
            self.property = property
            self.right = right
            self.tags = tags
        }
    }

    public var id: RecordID
    public var entity: WireName
    /// Every property that was ever written, null included.
    public var cells: [Cell]
    public var links: [Link]

    public init(id: RecordID, entity: WireName, cells: [Cell] = [], links: [Link] = []) {
        self.id = id
        self.entity = entity
        self.cells = cells
        self.links = links
    }

    /// The bytes that the canonical hash covers: cells by property, links by property and end.
    ///
    /// The byte behind the entity tells a living record, 0, from one whose delete updates may
    /// still win against; the zero at the end counts operations under unknown rules. Both are
    /// there for later rules.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 64 + cells.count * 48)
        writer.append(record: id)
        writer.append(string: entity.string)
        writer.append(byte: 0)
        writer.append(count: cells.count)
        for cell in cells.sorted(by: { $0.property < $1.property }) {
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
            writer.append(count: link.tags.tags.count)
            for tag in link.tags.tags { writer.append(stamp: tag) }
        }
        writer.append(count: 0)
        return writer.bytes
    }
}

/// The hash of a whole merged state: equal wherever version vectors are equal (invariant 7).
public struct CanonicalHash: ~Copyable {
    private var builder = DigestBuilder()
    private var previous: RecordID?

    public init() {}

    /// - Parameter record: Greater than the one before, in the order of ``RecordID``.
    public mutating func update(_ record: CanonicalRecord) {
        precondition(previous.map { $0 < record.id } ?? true, "records come in canonical order")
        previous = record.id
        builder.update(Digest(of: record.encoded()))
    }

    public consuming func finish() -> Digest { builder.finish() }
}
