/// A record as every replica and the server must have it, before any view rule.
public struct CanonicalRecord: Hashable, Sendable {
    /// A value that is held: one for each property, under `keepBoth` one for each sibling.
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
    /// What deletes that updates may win against have seen; `nil` where there was none.
    public var deleteMark: DeleteMark?

    public init(
        id: RecordID, entity: WireName, cells: [Cell] = [], links: [Link] = [],
        deleteMark: DeleteMark? = nil
    ) {
        self.id = id
        self.entity = entity
        self.cells = cells
        self.links = links
        self.deleteMark = deleteMark
    }

    /// Whether the record is out of sight: deleted, with no register value that its deletes have
    /// not seen.
    public var isDead: Bool {
        guard let deleteMark else { return false }
        return deleteMark.isDead(
            holding: cells.lazy.filter { $0.property.rule.isRegister }.map(\.stamp))
    }

    /// The bytes that the canonical hash covers: cells by property and stamp, links by property
    /// and end.
    ///
    /// The byte behind the entity is 1 where there is a delete mark, which follows, also while the
    /// record lives again: whether it does is told by its cells. The zero at the end counts
    /// operations under unknown rules and is there for later ones.
    public func encoded() -> [UInt8] { written().bytes }

    /// As ``encoded()``, without a copy of what is large.
    public func written() -> ByteWriter { written(links: links) }

    /// The same bytes of the record as if it had these links.
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

/// The hash of a whole merged state: equal wherever version vectors are equal (invariant 7).
public struct CanonicalHash: ~Copyable {
    private var builder = DigestBuilder()
    private var previous: RecordID?

    public init() {}

    /// - Parameter record: Greater than the one before, in the order of ``RecordID``.
    public mutating func update(_ record: CanonicalRecord) {
        precondition(previous.map { $0 < record.id } ?? true, "records come in canonical order")
        previous = record.id
        builder.update(Digest(of: record.written()))
    }

    public consuming func finish() -> Digest { builder.finish() }
}
