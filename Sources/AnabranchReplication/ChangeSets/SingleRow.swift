/// The only record of a block with its values. They are written as columns of one value each.
@usableFromInline package struct SingleRow: Sendable {
    /// The record; `nil` before it was appended.
    @usableFromInline package var record: RecordID?
    /// The appended values, by column.
    package var values: [PropertyValue?]

    package init(columnCount: Int) { values = (0..<columnCount).map { _ in nil } }

    @usableFromInline package mutating func set(_ value: PropertyValue, inColumn column: Int) {
        precondition(values[column] == nil, "a column must have one value for each record")
        values[column] = value
    }

    /// Indicates whether every column has its value.
    var isComplete: Bool { !values.contains { $0 == nil } }

    /// The number of values, with the identity of the record.
    @usableFromInline package var cellCount: Int { values.count + 1 }

    @usableFromInline package var byteEstimate: Int {
        values.reduce(0) { $0 + ($1?.byteEstimate ?? 0) }
    }

    /// The number of members of all groups.
    var memberCount: Int {
        values.reduce(0) { count, value in
            guard case .group(let group)? = value else { return count }
            return count + group.members.count
        }
    }

    /// Writes the record into the body of a block, as a list of one record.
    ///
    /// - Parameter inserting: Whether the record is inserted; see ``RecordListEncoder``.
    func writeRecord(to body: inout ByteWriter, tables: inout PayloadTables, inserting: Bool) {
        guard let record else { return }
        body.append(count: 1)
        if !inserting {
            body.append(varint: tables.index(of: record.replica))
            body.append(count: 1)
        }
        body.append(signed: Int64(bitPattern: record.number))
    }

    /// Writes the columns into the body of a block: one run of one tag, then the value.
    func writeColumns(to body: inout ByteWriter, tables: inout PayloadTables) {
        for case let value? in values {
            let column = body.beginBlock()
            body.append(count: 1)
            body.append(byte: value.tag)
            body.append(count: 1)
            let bytes = body.beginBlock()
            body.append(bodyOf: value)
            body.endBlock(bytes)
            if case .reference(let record) = value {
                body.append(varint: tables.index(of: record.replica))
                body.append(varint: record.number)
            }
            body.endBlock(column)
        }
    }
}
