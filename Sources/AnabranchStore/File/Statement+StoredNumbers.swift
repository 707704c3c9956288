import AnabranchReplication
import AnabranchSQLite

// A damaged file can have any number in any column, and arithmetic on such a number would end the
// program. So a number that is added to, shifted or used as an index is read by these functions.
extension Statement {
    /// The number of a replica in this file, which has room in a record's identity.
    func ordinal(at column: Int) throws -> Int64 {
        try number(at: column, upTo: Int64(Limits.greatestReplicaOrdinal))
    }

    /// The number of a save among those of its replica; 0 before the first one.
    func sequence(at column: Int) throws -> UInt64 {
        UInt64(try number(at: column, upTo: Int64(Limits.greatestSequence)))
    }

    /// A position in the zone's log; 0 before the first entry.
    func zonePosition(at column: Int) throws -> UInt64 { try sequence(at: column) }

    /// The time of a save, below 2^63.
    func timestamp(at column: Int) throws -> HybridTimestamp {
        HybridTimestamp(rawValue: UInt64(try number(at: column, upTo: .max)))
    }

    /// A position in this file's log, or an amount. It is so far from the limit of its type that
    /// the sum of a few cannot overflow.
    func amount(at column: Int) throws -> Int64 { try number(at: column, upTo: 1 << 60) }

    /// The number of an entity or of a property in this file.
    func schemaNumber(at column: Int) throws -> Int64 {
        try number(at: column, upTo: Int64(Int32.max))
    }

    private func number(at column: Int, upTo greatest: Int64) throws -> Int64 {
        let number = int64(at: column)
        guard number >= 0, number <= greatest else {
            throw StoreError(
                .corrupt,
                "Can't use the store because its column '\(columnName(at: column) ?? "")' has the "
                    + "number \(number). Restore a backup.")
        }
        return number
    }
}

extension Statement {
    /// Binds the 32 bytes of a digest.
    func bind(_ digest: Digest, at index: Int) throws {
        try digest.withBytes { try bind($0, at: index) }
    }
}

/// The columns with the name, the type and the rule of a property.
struct PropertyColumns: StatementParameter {
    let property: WireProperty

    func bind(to statement: Statement, at index: inout Int) throws {
        try property.name.string.bind(to: statement, at: &index)
        try Int64(property.type.rawValue).bind(to: statement, at: &index)
        try Int64(property.rule.rawValue).bind(to: statement, at: &index)
    }
}

extension WireProperty {
    var columns: PropertyColumns { PropertyColumns(property: self) }
}
