/// The values of a block's only record. They are written as columns of one value each.
@usableFromInline
struct SingleRow: Sendable {
    /// The appended values, by column.
    @usableFromInline var values: [Value?]

    @usableFromInline
    init(columnCount: Int) { values = Array(repeating: nil, count: columnCount) }

    @usableFromInline
    mutating func set(_ value: Value, inColumn column: Int) {
        precondition(values[column] == nil, "a column must have one value for each record")
        values[column] = value
    }

    /// Indicates whether every column has its value.
    var isComplete: Bool { !values.contains { $0 == nil } }

    /// The number of values, with the identity of the record.
    @usableFromInline var cellCount: Int { values.count + 1 }

    @usableFromInline var byteEstimate: Int {
        values.reduce(0) { $0 + ($1?.byteEstimate ?? 0) }
    }

    /// The number of members of all groups.
    var memberCount: Int {
        values.reduce(0) { count, value in
            guard case .group(let group)? = value else { return count }
            return count + group.members.count
        }
    }

    /// Writes the columns into the body of a block: one run of one tag, then the value.
    func write(to body: inout ByteWriter, tables: inout PayloadTables) {
        var bytes = ByteWriter(reservingCapacity: 32)
        var column = ByteWriter(reservingCapacity: 48)
        for case let value? in values {
            bytes.removeAll()
            bytes.append(bodyOf: value)
            column.removeAll()
            column.append(count: 1)
            column.append(byte: value.tag)
            column.append(count: 1)
            column.append(block: bytes)
            if case .reference(let record) = value {
                column.append(varint: tables.index(of: record.replica))
                column.append(varint: record.number)
            }
            body.append(block: column)
        }
    }
}
