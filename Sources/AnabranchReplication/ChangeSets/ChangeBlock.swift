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
    /// Links of an ordered relationship that got another place: the tags seen go, a new one comes.
    case move(LinkBlock)
    /// Deltas of counters.
    case add(RowBlock)
    /// Values of a `keepBoth` property, each with what its writer saw and takes away.
    case write(SiblingBlock)
    /// A delete that yields to every update that it has not seen (`updateWins`).
    case yieldingDelete(YieldingDeleteBlock)
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
        /// What a removal or a move saw and takes away; empty where a link is added, whose tag is
        /// the stamp of its change set.
        public var tagsSeen: [Stamp]
        /// Of what is added or moved in an ordered relationship.
        public var place: LinkPlace

        public init(
            left: RecordID, right: RecordID, tagsSeen: [Stamp] = [], place: LinkPlace = .none
        ) {
            self.left = left
            self.right = right
            self.tagsSeen = tagsSeen
            self.place = place
        }
    }
}

/// Values of one `keepBoth` property.
public struct SiblingBlock: Hashable, Sendable {
    public var entity: WireName
    public var property: WireProperty
    public var writes: [Write]

    public init(entity: WireName, property: WireProperty, writes: [Write]) {
        self.entity = entity
        self.property = property
        self.writes = writes
    }

    public struct Write: Hashable, Sendable {
        public var record: RecordID
        public var value: Value
        /// The stamps of the values that the writer saw, which this one replaces.
        public var tagsSeen: [Stamp]

        public init(record: RecordID, value: Value, tagsSeen: [Stamp]) {
            self.record = record
            self.value = value
            self.tagsSeen = tagsSeen
        }
    }
}

/// Records that were deleted under the policy `updateWins`.
public struct YieldingDeleteBlock: Hashable, Sendable {
    public var entity: WireName
    public var deletes: [Delete]

    public init(entity: WireName, deletes: [Delete]) {
        self.entity = entity
        self.deletes = deletes
    }

    public struct Delete: Hashable, Sendable {
        public var record: RecordID
        /// The stamp of every register value that the deleter saw (``DeleteMark``).
        public var stampsSeen: [Stamp]

        public init(record: RecordID, stampsSeen: [Stamp]) {
            self.record = record
            self.stampsSeen = stampsSeen
        }
    }
}

extension ChangeBlock {
    /// What of the block this version cannot merge, as a message names it: an operation, or a
    /// property whose rule or type it does not know. `nil` where it can merge all.
    public var unknownRule: String? {
        switch self {
        case .unknown(let operation, _): "operation \(operation)"
        case .insert(let rows), .update(let rows), .add(let rows):
            rows.properties.first { !$0.isMergeable }?.description
        case .link(let links), .unlink(let links), .move(let links):
            links.property.isMergeable ? nil : links.property.description
        case .write(let siblings):
            siblings.property.isMergeable ? nil : siblings.property.description
        case .delete, .yieldingDelete: nil
        }
    }
}

/// The numbers of the operations in the format.
enum Operation {
    static let insert: UInt64 = 1
    static let update: UInt64 = 2
    static let delete: UInt64 = 3
    static let link: UInt64 = 4
    static let unlink: UInt64 = 5
    static let move: UInt64 = 6
    static let add: UInt64 = 7
    static let write: UInt64 = 8
    static let yieldingDelete: UInt64 = 9

    /// Whether an operation writes properties of this rule, where it is known how they merge: a
    /// counter is written by deltas and a `keepBoth` property with what was seen, or by an insert.
    static func writes(_ operation: UInt64, _ property: WireProperty) -> Bool {
        guard property.isMergeable, operation != insert else { return true }
        return switch property.rule {
        case .counter: operation == add
        case .keepBoth: operation == write
        default: operation == update
        }
    }
}
