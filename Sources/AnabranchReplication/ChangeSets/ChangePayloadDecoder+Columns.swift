// Blocks that contain columns of values.
extension ChangePayloadDecoder {
    /// Reads a block of rows.
    ///
    /// - Parameter isOwn: Whether the records belong to the author, so that the block names no
    ///   replica. The default depends on the operation.
    mutating func readRows(
        _ body: inout ByteReader, _ operation: UInt64, ofAuthor isOwn: Bool? = nil
    ) throws(ChangeSetDecodingError) -> RowBlock {
        let entity = try readName(&body)
        let records = try readRecords(&body, inserting: isOwn ?? (operation == Operation.insert))
        let used = try readColumnProperties(&body, operation)
        try spend(records.count, times: used.count, body)
        var columns: [ValueColumn] = []
        for property in used {
            var column = try body.readNested()
            let values = try readColumn(&column, of: property, count: records.count)
            try column.expectEnd()
            if operation == Operation.add, values.contains(where: \.isNull) {
                throw column.failure(.malformed, "null can't be added to \(property)")
            }
            columns.append(values)
        }
        return RowBlock(entity: entity, records: records, properties: used, columns: columns)
    }

    private func readColumnProperties(
        _ body: inout ByteReader, _ operation: UInt64
    ) throws(ChangeSetDecodingError) -> [WireProperty] {
        var used: [WireProperty] = []
        var seen: Set<WireProperty> = []
        for _ in 0..<(try body.readCount()) {
            let property = try Self.entry(of: properties, &body)
            try checkIsColumn(property, of: operation, body)
            guard seen.insert(property).inserted else {
                throw body.failure(.malformed, "\(property) has two columns")
            }
            used.append(property)
        }
        return used
    }

    /// Refuses a property that the operation can't write.
    ///
    /// If this version knows how the property merges, that is the sender's mistake. Any other
    /// property is kept for a later version.
    private func checkIsColumn(
        _ property: WireProperty, of operation: UInt64, _ body: ByteReader
    ) throws(ChangeSetDecodingError) {
        guard !property.type.isLinks, Operation.writes(operation, property) else {
            throw body.failure(
                .malformed, "\(property) can't be a column of operation \(operation)")
        }
    }

    mutating func readSiblings(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> SiblingBlock {
        let entity = try readName(&body)
        let property = try Self.entry(of: properties, &body)
        try checkIsColumn(property, of: Operation.write, body)
        let records = try readRecords(&body)
        try spend(records.count, body)
        try reserve(byteCount: records.count * MemoryLayout<SiblingBlock.Write>.stride, body)
        var column = try body.readNested()
        let values = try readColumn(&column, of: property, count: records.count)
        try column.expectEnd()
        var writes: [SiblingBlock.Write] = []
        writes.reserveCapacity(records.count)
        for (record, value) in zip(records, values) {
            writes.append(.init(record: record, value: value, observedTags: try readTags(&body)))
        }
        return SiblingBlock(entity: entity, property: property, writes: writes)
    }

    /// Consecutive values of one column that have one tag.
    private struct ValueRun {
        let tag: UInt8
        let count: Int
    }

    /// Reads one column. Its long runs of nulls take no memory.
    private mutating func readColumn(
        _ column: inout ByteReader, of property: WireProperty, count: Int
    ) throws(ChangeSetDecodingError) -> ValueColumn {
        let runs = try readValueRuns(&column, of: property, count: count)
        let valueCount = runs.reduce(0) { $0 + ($1.tag == ValueTag.null ? 0 : $1.count) }
        let nullCount = runs.reduce(0) {
            $0 + ($1.tag == ValueTag.null ? min($1.count, ValueColumn.leastGap) : 0)
        }
        try keep(
            valueCount, byteCount: (valueCount + nullCount) * MemoryLayout<PropertyValue>.stride,
            column)
        var bodies = try column.readNested()
        var values = ValueColumn()
        values.reserveCapacity(valueCount)
        for run in runs {
            guard run.tag != ValueTag.null else {
                values.append(nulls: run.count)
                continue
            }
            for _ in 0..<run.count {
                values.append(try readValue(&column, bodies: &bodies, of: property, tag: run.tag))
            }
        }
        try bodies.expectEnd()
        return values
    }

    private mutating func readValueRuns(
        _ column: inout ByteReader, of property: WireProperty, count: Int
    ) throws(ChangeSetDecodingError) -> [ValueRun] {
        let runCount = try column.readCount(ofAtLeast: 2)
        try reserve(byteCount: runCount * MemoryLayout<ValueRun>.stride, column)
        var runs: [ValueRun] = []
        runs.reserveCapacity(runCount)
        var missing = count
        for _ in 0..<runCount {
            let tag = try column.readByte()
            let length = try column.readVarint()
            guard length >= 1, length <= UInt64(missing) else {
                throw column.failure(
                    .malformed, "a run has \(length) values where \(missing) are left")
            }
            guard property.type.accepts(tag: tag) else {
                throw column.failure(.malformed, "\(property) can't hold a value of tag \(tag)")
            }
            runs.append(ValueRun(tag: tag, count: Int(length)))
            missing -= Int(length)
        }
        guard missing == 0 else {
            throw column.failure(.malformed, "a column lacks \(missing) values")
        }
        return runs
    }

    /// Reads a value that is not null: from the bodies, or a reference from behind them.
    private mutating func readValue(
        _ column: inout ByteReader, bodies: inout ByteReader, of property: WireProperty, tag: UInt8
    ) throws(ChangeSetDecodingError) -> PropertyValue {
        guard let value = try bodies.readBody(tag: tag) else {
            return .reference(try readReference(&column))
        }
        guard !property.checksValues || property.accepts(value) else {
            throw bodies.failure(.malformed, "\(property) can't hold \(value)")
        }
        if case .group(let group) = value {
            let count = group.members.count
            try spend(count, bodies)
            try keep(count, byteCount: count * MemoryLayout<GroupValue.Member>.stride, bodies)
        }
        return value
    }

    private func readReference(
        _ column: inout ByteReader
    ) throws(ChangeSetDecodingError) -> RecordID {
        let replica = try Self.entry(of: replicas, &column)
        return RecordID(replica: replica, number: try column.readRecordNumber())
    }
}
