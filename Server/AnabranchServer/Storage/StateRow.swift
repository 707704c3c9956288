/// One number for a record in a zone: `ordinal << 40 | number`, above zero.
package struct RecordKey: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// - Parameters:
    ///   - ordinal: Of the record's replica in this zone, below 2^22.
    ///   - number: The record's own, from 1 to 2^40 − 1.
    package init(ordinal: Int64, number: UInt64) {
        rawValue = ordinal << 40 | Int64(truncatingIfNeeded: number)
    }

    package var ordinal: Int64 { rawValue >> 40 }
    package var number: UInt64 { UInt64(rawValue & (1 << 40 - 1)) }
}

/// The merged state of one record.
package struct StateRow: Hashable, Sendable {
    package var key: RecordKey
    /// The zone's number of the entity's wire name.
    package var entity: Int64
    /// The stamp of the insert, which cells without one of their own share: its timestamp.
    package var timestamp: UInt64
    /// The ordinal of the replica of that stamp.
    package var author: Int64
    /// An encoded ``CellList``.
    package var cells: [UInt8]
    /// What deletes that updates may win against have seen, as ``StoredTags``; `nil` where there
    /// was none.
    package var seen: [UInt8]?
    /// Whether the record is out of sight: its deletes have seen all that it holds.
    package var isDead: Bool

    package init(
        key: RecordKey, entity: Int64, timestamp: UInt64, author: Int64, cells: [UInt8],
        seen: [UInt8]? = nil, isDead: Bool = false
    ) {
        self.key = key
        self.entity = entity
        self.timestamp = timestamp
        self.author = author
        self.cells = cells
        self.seen = seen
        self.isDead = isDead
    }
}

/// Which link: of one property, between two records.
package struct LinkKey: Hashable, Sendable {
    package var left: RecordKey
    /// The zone's number of the wire property.
    package var property: Int64
    package var right: RecordKey

    package init(left: RecordKey, property: Int64, right: RecordKey) {
        self.left = left
        self.property = property
        self.right = right
    }
}
