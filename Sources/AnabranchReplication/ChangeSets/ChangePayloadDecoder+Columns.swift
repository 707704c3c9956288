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
        let records = try readRecords(
            &body, inserting: isOwn ?? (operation == Operation.insert))
        let used = try readColumnProperties(&body, operation)
        try spend(records.count, times: used.count, body)
        var columns: [[Value]] = []
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

    private mutating func readColumn(
        _ column: inout ByteReader, of property: WireProperty, count: Int
    ) throws(ChangeSetDecodingError) -> [Value] {
        var runs: [(tag: UInt8, count: Int)] = []
        var missing = count
        for _ in 0..<(try column.readCount(ofAtLeast: 2)) {
            let tag = try column.readByte()
            let length = try column.readVarint()
            guard length >= 1, length <= UInt64(missing) else {
                throw column.failure(
                    .malformed, "a run has \(length) values where \(missing) are left")
            }
            guard property.type.accepts(tag: tag) else {
                throw column.failure(.malformed, "\(property) can't hold a value of tag \(tag)")
            }
            runs.append((tag, Int(length)))
            missing -= Int(length)
        }
        guard missing == 0 else {
            throw column.failure(.malformed, "a column lacks \(missing) values")
        }
        let checksValues = property.checksValues
        var bodies = try column.readNested()
        var values: [Value] = []
        values.reserveCapacity(count)
        for run in runs {
            if run.tag == ValueTag.null {
                values.append(contentsOf: repeatElement(.null, count: run.count))
                continue
            }
            for _ in 0..<run.count {
                if let value = try bodies.readBody(tag: run.tag) {
                    guard !checksValues || property.accepts(value) else {
                        throw bodies.failure(.malformed, "\(property) can't hold \(value)")
                    }
                    if case .group(let group) = value { try spend(group.members.count, bodies) }
                    values.append(value)
                } else {
                    values.append(.reference(try readReference(&column)))
                }
            }
        }
        try bodies.expectEnd()
        return values
    }

    private func readReference(
        _ column: inout ByteReader
    ) throws(ChangeSetDecodingError) -> RecordID {
        let replica = try Self.entry(of: replicas, &column)
        return RecordID(replica: replica, number: try column.readRecordNumber())
    }
}
