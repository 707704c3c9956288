import AnabranchReplication

/// A record's identity in one file: SQLite row ID, foreign key, and identity in memory.
///
/// It is the ordinal that the file has assigned to the record's replica, shifted left by 40, plus
/// the record's number. The file's own first replica has ordinal 0, so its own records have the
/// smallest integers.
package typealias LocalID = Int64

extension LocalID {
    package init(ordinal: Int64, number: UInt64) {
        self = ordinal << 40 | Int64(number)
    }

    package var ordinal: Int64 { self >> 40 }
    package var number: UInt64 { UInt64(bitPattern: self) & ((1 << 40) - 1) }
}
