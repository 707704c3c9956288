/// Operations of one kind on records of one entity.
///
/// Operations are explicit, never an upsert. An operation on a record that is not held is therefore
/// one on a deleted record, and can't resurrect it (invariant 5).
package enum ChangeBlock: Hashable, Sendable {
    /// Inserts records under the replica ID of the change set.
    case insert(RowBlock)
    /// Writes properties of existing records.
    case update(RowBlock)
    /// Deletes records for good.
    case delete(RecordBlock)
    /// Adds links between records.
    case link(LinkBlock)
    /// Removes the tags of links that the author saw.
    case unlink(LinkBlock)
    /// Moves links of an ordered relationship to another place. Each link gets one new tag with
    /// that place, which replaces the tags that the author saw.
    case move(LinkBlock)
    /// Adds deltas to counters.
    case add(RowBlock)
    /// Writes values of a `keepBoth` property. Each removes the values that its author saw.
    case write(SiblingBlock)
    /// Deletes records, but loses to every update that the author had not seen (`updateWins`).
    case yieldingDelete(YieldingDeleteBlock)
    /// An operation of a later format, kept and passed on unchanged.
    case unknown(operation: UInt64, bytes: [UInt8])
}

/// Records of one entity in which the same properties were written.
package struct RowBlock: Hashable, Sendable {
    package var entity: WireName
    /// The records, one for each value of a column.
    package var records: [RecordID]
    /// The written properties, one for each column.
    package var properties: [WireProperty]
    /// One column for each property. Each column has one value for each record.
    package var columns: [ValueColumn]

    /// Creates a block. Every column must have as many values as there are records.
    package init(
        entity: WireName, records: [RecordID], properties: [WireProperty], columns: [ValueColumn]
    ) {
        self.entity = entity
        self.records = records
        self.properties = properties
        self.columns = columns
    }
}

/// Records that were deleted.
package struct RecordBlock: Hashable, Sendable {
    package var entity: WireName
    package var records: [RecordID]

    package init(entity: WireName, records: [RecordID]) {
        self.entity = entity
        self.records = records
    }
}

/// Links of one relationship that were added, removed or moved.
package struct LinkBlock: Hashable, Sendable {
    /// The wire name of the entity that owns the property: that of the left end.
    package var entity: WireName
    package var property: WireProperty
    /// The links, each with its tags and its place.
    package var links: [Link]

    package init(entity: WireName, property: WireProperty, links: [Link]) {
        self.entity = entity
        self.property = property
        self.links = links
    }

    /// One link between two records.
    package struct Link: Hashable, Sendable {
        /// The record that owns the relationship's property; under ``WireType/mutualLinks`` the
        /// smaller identity.
        package var left: RecordID
        /// The record at the other end.
        package var right: RecordID
        /// The tags that the author of a removal or a move saw, and that it removes. Empty if a
        /// link is added: its tag is the stamp of its change set.
        package var observedTags: [Stamp]
        /// The place of a link that is added or moved in an ordered relationship.
        package var place: LinkPosition

        package init(
            left: RecordID, right: RecordID, observedTags: [Stamp] = [], place: LinkPosition = .none
        ) {
            self.left = left
            self.right = right
            self.observedTags = observedTags
            self.place = place
        }
    }
}

/// Values of one `keepBoth` property, written to several records.
package struct SiblingBlock: Hashable, Sendable {
    package var entity: WireName
    package var property: WireProperty
    /// The writes, one for each record.
    package var writes: [Write]

    package init(entity: WireName, property: WireProperty, writes: [Write]) {
        self.entity = entity
        self.property = property
        self.writes = writes
    }

    /// One value, written to one record.
    package struct Write: Hashable, Sendable {
        /// The record that the value is written to.
        package var record: RecordID
        package var value: PropertyValue
        /// The stamps of the values that the author saw. The new value replaces them.
        package var observedTags: [Stamp]

        package init(record: RecordID, value: PropertyValue, observedTags: [Stamp]) {
            self.record = record
            self.value = value
            self.observedTags = observedTags
        }
    }
}

/// Records that were deleted under the delete policy `updateWins`.
package struct YieldingDeleteBlock: Hashable, Sendable {
    package var entity: WireName
    /// The deletes, one for each record.
    package var deletes: [Delete]

    package init(entity: WireName, deletes: [Delete]) {
        self.entity = entity
        self.deletes = deletes
    }

    /// The delete of one record.
    package struct Delete: Hashable, Sendable {
        package var record: RecordID
        /// The stamp of every register value that the author of the delete saw (``DeleteMark``).
        package var stampsSeen: [Stamp]

        package init(record: RecordID, stampsSeen: [Stamp]) {
            self.record = record
            self.stampsSeen = stampsSeen
        }
    }
}

extension ChangeBlock {
    /// The first operation or property of the block that this version can't merge, as text for a
    /// message. It is `nil` if this version can merge the whole block.
    package var unknownRule: String? {
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

/// The numbers that stand for the operations in the format.
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

    /// Indicates whether an operation may write a property.
    ///
    /// A counter is written only by an insert or by deltas. A `keepBoth` property is written only
    /// by an insert or by writes that name the seen values. The result is `true` for a property
    /// that this version can't merge.
    static func writes(_ operation: UInt64, _ property: WireProperty) -> Bool {
        guard property.isMergeable, operation != insert else { return true }
        return switch property.rule {
        case .counter: operation == add
        case .keepBoth: operation == write
        default: operation == update
        }
    }
}
