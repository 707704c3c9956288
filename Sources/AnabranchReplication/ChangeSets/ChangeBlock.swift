/// Operations of one kind on records of one entity.
///
/// Operations are explicit, never an upsert: an operation on a record that is not held is one on
/// a deleted record, and nothing can be resurrected (invariant 5).
public enum ChangeBlock: Hashable, Sendable {
    /// Records made by the author of the change set, under its own replica ID.
    case insert(RowBlock)
    case update(RowBlock)
    case delete(RecordBlock)
    case link(LinkBlock)
    case unlink(LinkBlock)
    /// An operation of a later format, kept as it came.
    case unknown(operation: UInt64, bytes: [UInt8])
}

/// Records of which the same properties were written.
public struct RowBlock: Hashable, Sendable {
    public var entity: WireName
    public var records: [RecordID]
    public var properties: [WireProperty]
    /// For each property one column, in it one value for each record.
    public var columns: [[Value]]

    public init(
        entity: WireName, records: [RecordID], properties: [WireProperty], columns: [[Value]]
    ) {
        self.entity = entity
        self.records = records
        self.properties = properties
        self.columns = columns
    }
}

/// Records that were deleted.
public struct RecordBlock: Hashable, Sendable {
    public var entity: WireName
    public var records: [RecordID]

    public init(entity: WireName, records: [RecordID]) {
        self.entity = entity
        self.records = records
    }
}

/// Links of one relationship that were added or removed.
public struct LinkBlock: Hashable, Sendable {
    /// Of the side that names the property.
    public var entity: WireName
    public var property: WireProperty
    public var links: [Link]

    public init(entity: WireName, property: WireProperty, links: [Link]) {
        self.entity = entity
        self.property = property
        self.links = links
    }

    public struct Link: Hashable, Sendable {
        public var left: RecordID
        public var right: RecordID
        /// What a removal saw and takes away; empty where a link is added, whose tag is the stamp
        /// of its change set.
        public var tagsSeen: [Stamp]

        public init(left: RecordID, right: RecordID, tagsSeen: [Stamp] = []) {
            self.left = left
            self.right = right
            self.tagsSeen = tagsSeen
        }
    }
}

/// The numbers of the operations in the format.
///
/// Those without a name yet are reserved: `move` 6, `add` (to a counter) 7, a `keepBoth` write 8,
/// a delete that updates may win against 9.
enum Operation {
    static let insert: UInt64 = 1
    static let update: UInt64 = 2
    static let delete: UInt64 = 3
    static let link: UInt64 = 4
    static let unlink: UInt64 = 5
}
