import AnabranchReplication

extension ZoneReading {
    /// Calls `body` with all rows of the zone, some at a time: names first, then log, state and
    /// parts. Staged parts are left out.
    func forEachRows(_ body: (ZoneRows) throws -> Void) throws {
        try forEach(.replica, body, as: { .replicas($0) }, read: { try $0.replicaRow() })
        try forEach(.entity, body, as: { .entities($0) }) {
            (try $0.number(at: 0), $0.name(at: 1))
        }
        try forEach(.property, body, as: { .properties($0) }) {
            (try $0.number(at: 0), $0.property())
        }
        try forEach(
            .log, body, as: { .entries($0) }, size: { $0.changeSet.count },
            read: { try $0.logRow() })
        try forEach(
            .record, body, as: { .records($0) }, size: { Int($0.row.countedBytes) },
            read: { RecordRow(row: try $0.stateRow(), dead: try $0.unsigned(at: 6)) })
        try forEach(
            .link, body, as: { .links($0) }, size: { $0.tags.count },
            read: { ($0.linkKey(), $0.bytes(at: 3)) })
        try body(.acknowledgements(acknowledgements().map { ($0, $1) }))
        let listed = try logParts()
        if !listed.isEmpty { try body(.logParts(listed)) }
        for part in Set(listed.map(\.part)) {
            var start = 0
            try forEachPiece(of: part) { bytes in
                try body(.pieces([PartPiece(part: part, start: start, bytes: bytes)]))
                start += bytes.count
            }
            guard start >= part.byteCount else { throw damaged("a part of a save is not complete") }
        }
    }

    /// Calls `body` with the held bytes of a part, in order.
    func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws {
        var start = 0
        while start < part.byteCount {
            let piece = try piece(of: part, from: start)
            guard !piece.isEmpty else { return }
            try body(piece)
            start += piece.count
        }
    }

    /// Reads the rows of a table and gives some at a time.
    private func forEach<Row>(
        _ table: ZoneTable, _ body: (ZoneRows) throws -> Void, as rows: ([Row]) -> ZoneRows,
        size: (Row) -> Int = { _ in 64 }, read: (any StoredColumns) throws -> Row
    ) throws {
        var some: [Row] = []
        var byteCount = 0
        func give() throws {
            if !some.isEmpty { try body(rows(some)) }
            some = []
            byteCount = 0
        }
        try forEachRow(of: table, in: .min ... .max) { row in
            some.append(try read(row))
            byteCount += size(some[some.count - 1])
            if some.count >= 1000 || byteCount >= 8 << 20 { try give() }
        }
        try give()
    }

    /// Calls `body` with every record, without its links, in any order.
    func forEachRow(_ body: (CanonicalRecord) throws -> Void) throws {
        try forEachRow(of: .record, in: .min ... .max) { try body(try record($0.stateRow())) }
    }

    /// Calls `body` with every link; the links of one left record are consecutive.
    func forEachLink(_ body: (WireProperty, SnapshotChunk.Link) throws -> Void) throws {
        try forEachRow(of: .link, in: .min ... .max) { row in
            let (key, property, tags) = try link(row)
            try body(
                property,
                SnapshotChunk.Link(
                    left: try id(of: key.left), right: try id(of: key.right), tags: tags))
        }
    }

    /// One record of the merged state with all its links, or the statement that it is not held.
    func image(of record: RecordID) throws -> RecordImage {
        var image = RecordImage(id: record)
        guard let ordinal = try knownOrdinal(of: record.replica) else { return image }
        let key = RecordKey(ordinal: ordinal, number: record.number)
        try forEachRow(of: .record, in: key.rawValue...key.rawValue) {
            image.record = try self.record($0.stateRow())
        }
        guard image.record != nil else { return image }
        try forEachRow(of: .link, in: key.rawValue...key.rawValue) { row in
            let (key, property, tags) = try link(row)
            image.record?.links.append(
                CanonicalRecord.Link(property: property, right: try id(of: key.right), tags: tags))
        }
        try forEachLink(to: key) { row in
            let (key, property, tags) = try link(row)
            image.incoming.append(
                RecordImage.IncomingLink(left: try id(of: key.left), property: property, tags: tags)
            )
        }
        return image
    }

    func link(
        _ row: any StoredColumns
    ) throws -> (key: LinkKey, property: WireProperty, tags: LinkTags) {
        let key = row.linkKey()
        let property = try property(at: key.property)
        let tags = try StoredTags.tags(
            decoding: row.bytes(at: 3), of: property, replica: replica(at:))
        return (key, property, tags)
    }

    func record(_ row: StateRow) throws -> CanonicalRecord {
        try CanonicalRecord(
            row, id: id(of: row.key), entity: entityName(row.entity), property: property(at:),
            replica: replica(at:))
    }
}
