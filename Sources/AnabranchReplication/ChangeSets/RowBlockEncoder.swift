/// An encoder for a block of inserted or updated rows, or of counter deltas.
///
/// It is filled record by record, in the same pass that writes the rows of a store, then appended
/// to a ``ChangePayloadEncoder``. A block of one
/// record, which is that of most saves, keeps the values as they are. A block of more records has
/// its values in columns.
@usableFromInline package struct RowBlockEncoder: Sendable {
    let operation: UInt64
    let entity: WireName
    let properties: [WireProperty]
    @usableFromInline package var records = RecordListEncoder()
    /// The columns by property. There are none while `single` has the values.
    @usableFromInline package var columns: [ColumnEncoder]
    /// The values of the only record, by column; `nil` once there are columns.
    @usableFromInline package var single: SingleRow?

    /// Begins a block of inserted or updated rows.
    package init(inserting: Bool, entity: WireName, properties: [WireProperty], capacity: Int = 0) {
        self.init(
            operation: inserting ? Operation.insert : Operation.update, entity: entity,
            properties: properties, capacity: capacity)
    }

    /// Begins a block of counter deltas.
    package init(additionsTo entity: WireName, properties: [WireProperty]) {
        self.init(operation: Operation.add, entity: entity, properties: properties, capacity: 0)
    }

    init(operation: UInt64, entity: WireName, properties: [WireProperty], capacity: Int) {
        self.operation = operation
        self.entity = entity
        self.properties = properties
        let isSingle = capacity == 1
        single = isSingle ? SingleRow(columnCount: properties.count) : nil
        columns = isSingle ? [] : properties.map { _ in ColumnEncoder(capacity: capacity) }
    }

    package var count: Int { single.map { $0.record == nil ? 0 : 1 } ?? records.count }

    /// The first property that got a value of another type, which every reader refuses. It is `nil`
    /// if all values suit their properties.
    package var misfit: WireProperty? {
        if let single {
            return zip(properties, single.values).first { property, value in
                value.map { !property.type.accepts(tag: $0.tag) } ?? false
            }?.0
        }
        return zip(properties, columns).first { property, column in
            column.runs.contains { !property.type.accepts(tag: $0.tag) }
        }?.0
    }

    /// Indicates whether every column has one value for each record.
    var isComplete: Bool {
        single?.isComplete ?? columns.allSatisfy { $0.count == records.count }
    }

    var memberCount: Int { single?.memberCount ?? columns.reduce(0) { $0 + $1.memberCount } }
    /// The number of identities, values and members, without nulls.
    var cellCountWithoutNulls: Int {
        let values =
            single?.values.count { !($0?.isNull ?? true) }
            ?? columns.reduce(0) { $0 + $1.countWithoutNulls }
        return count + values + memberCount
    }

    /// The approximate number of bytes that the block needs in the payload.
    package var byteCount: Int {
        count * 2 + (single?.byteEstimate ?? columns.reduce(0) { $0 + $1.byteCount })
    }
    /// The number of bytes that the block refers to instead of copying them.
    private var largeByteCount: Int { columns.reduce(0) { $0 + $1.values.largeCount } }

    /// Indicates whether the block has reached a number of bytes of values, or a number of values
    /// and identities.
    ///
    /// The check is fast enough to be made after every row.
    @inlinable
    package func hasReached(byteCount limit: Int, cellCount: Int) -> Bool {
        if let single { return single.byteEstimate >= limit || single.cellCount >= cellCount }
        var bytes = 0
        for index in columns.indices { bytes += columns[index].values.count }
        return bytes >= limit || records.count * (columns.count + 1) >= cellCount
    }

    /// Appends a record. Append one value to every column before the next record.
    @inlinable
    package mutating func append(record: RecordID) {
        if single != nil, single?.record == nil {
            single?.record = record
            return
        }
        if single != nil { buildColumns() }
        records.append(record)
    }

    /// Appends the value of the last record in one column.
    ///
    /// - Parameter column: The index of the property that the column belongs to.
    @inlinable
    package mutating func append(_ value: PropertyValue, toColumn column: Int) {
        if single == nil {
            columns[column].append(value)
        } else {
            single?.set(value, inColumn: column)
        }
    }

    /// Moves the values of the only record into columns, because another record follows.
    @usableFromInline package mutating func buildColumns() {
        guard let row = single else { return }
        single = nil
        if let record = row.record { records.append(record) }
        columns = row.values.map { value in
            var column = ColumnEncoder(capacity: 2)
            if let value { column.append(value) }
            return column
        }
    }

    /// Writes the block, with its operation and its length.
    func write(to blocks: inout ByteWriter, tables: inout PayloadTables) {
        let isInsertion = operation == Operation.insert
        blocks.append(varint: operation)
        let start = blocks.beginBlock(
            reserving: single == nil ? byteCount - largeByteCount + 64 : 64)
        blocks.append(varint: tables.index(of: entity))
        if let single {
            single.writeRecord(to: &blocks, tables: &tables, inserting: isInsertion)
        } else {
            records.write(to: &blocks, tables: &tables, inserting: isInsertion)
        }
        blocks.append(count: properties.count)
        for property in properties { blocks.append(varint: tables.index(of: property)) }
        single?.writeColumns(to: &blocks, tables: &tables)
        for column in columns { column.write(to: &blocks, tables: &tables) }
        blocks.endBlock(start)
    }
}

/// An encoder for record identities: runs of one replica, then the numbers as differences.
@usableFromInline package struct RecordListEncoder: Sendable {
    @usableFromInline package var runs: [(replica: ReplicaID, count: Int)] = []
    @usableFromInline package var numbers = ByteWriter()
    @usableFromInline package var previous: UInt64 = 0
    @usableFromInline package var count = 0

    package init() {}

    @inlinable
    package mutating func append(_ record: RecordID) {
        if let last = runs.indices.last, runs[last].replica == record.replica {
            runs[last].count += 1
        } else {
            runs.append((record.replica, 1))
        }
        numbers.append(signed: Int64(bitPattern: record.number &- previous))
        previous = record.number
        count += 1
    }

    /// Writes the list into the body of a block.
    ///
    /// - Parameter inserting: Whether the records are inserted. Inserted records belong to the
    ///   author, so only their numbers are written, and a payload can't insert records of another
    ///   replica.
    func write(to body: inout ByteWriter, tables: inout PayloadTables, inserting: Bool) {
        body.append(count: count)
        if !inserting {
            for run in runs {
                body.append(varint: tables.index(of: run.replica))
                body.append(count: run.count)
            }
        }
        body.append(raw: numbers.bytes)
    }
}

/// An encoder for one column: runs of one tag, then the values without their tags.
///
/// Null has a tag but no value, so nulls cost little.
@usableFromInline package struct ColumnEncoder: Sendable {
    @usableFromInline package var runs: [(tag: UInt8, count: Int)] = []
    @usableFromInline package var values: ByteWriter
    @usableFromInline package var references: [RecordID] = []
    /// The number of members of all groups in the column.
    @usableFromInline package var memberCount = 0

    package init(capacity: Int) { values = ByteWriter(reservingCapacity: capacity * 4) }

    var count: Int { runs.reduce(0) { $0 + $1.count } }
    var countWithoutNulls: Int {
        runs.reduce(0) { $0 + ($1.tag == ValueTag.null ? 0 : $1.count) }
    }
    var byteCount: Int { values.count + references.count * 6 + runs.count * 3 }

    @inlinable
    package mutating func append(_ value: PropertyValue) {
        let tag = value.tag
        if let last = runs.indices.last, runs[last].tag == tag {
            runs[last].count += 1
        } else {
            runs.append((tag, 1))
        }
        switch value {
        case .reference(let record): references.append(record)
        case .group(let group):
            memberCount += group.members.count
            values.append(bodyOf: value)
        default: values.append(bodyOf: value)
        }
    }

    func write(to body: inout ByteWriter, tables: inout PayloadTables) {
        let start = body.beginBlock()
        body.append(count: runs.count)
        for run in runs {
            body.append(byte: run.tag)
            body.append(count: run.count)
        }
        // References stand behind all other values, in the order of their records.
        body.append(block: values)
        for record in references {
            body.append(varint: tables.index(of: record.replica))
            body.append(varint: record.number)
        }
        body.endBlock(start)
    }
}
