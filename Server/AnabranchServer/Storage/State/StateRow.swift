/// The key of a record in a zone, `ordinal << 40 | number`, greater than zero.
package struct RecordKey: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Creates the key of a record.
    ///
    /// - Parameters:
    ///   - ordinal: The ordinal of the record's replica in this zone, below 2^22.
    ///   - number: The record's number, from 1 to 2^40 − 1.
    package init(ordinal: Int64, number: UInt64) {
        rawValue = ordinal << 40 | Int64(truncatingIfNeeded: number)
    }

    package var ordinal: Int64 { rawValue >> 40 }
    package var number: UInt64 { UInt64(rawValue & (1 << 40 - 1)) }
}

/// The merged state of one record.
package struct StateRow: Hashable, Sendable {
    package var key: RecordKey
    /// The zone's number for the entity's wire name.
    package var entity: Int64
    /// The timestamp of the insert, which cells without a stamp of their own share.
    package var timestamp: UInt64
    /// The ordinal of the replica of that stamp.
    package var author: Int64
    /// An encoded `CellList`.
    package var cells: [UInt8]
    /// The stamps that deletes under `updateWins` had seen, as `StoredTags`; `nil` without such a
    /// delete.
    package var seen: [UInt8]?
    /// True if the record is hidden, because its deletes had seen every value that it holds.
    package var isDead = false
}

/// The key of a link: its property and its two records.
package struct LinkKey: Hashable, Sendable {
    package var left: RecordKey
    /// The zone's number for the wire property.
    package var property: Int64
    package var right: RecordKey
}
