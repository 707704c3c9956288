import AnabranchReplication

/// Takes the values of a row, in the order of its table's columns.
protocol ColumnValues {
    associatedtype Failure: Error

    mutating func append(_ number: Int64) throws(Failure)
    mutating func append(_ bytes: [UInt8]?) throws(Failure)
}

extension ColumnValues {
    fileprivate mutating func append(_ number: UInt64) throws(Failure) {
        try append(Int64(clamping: number))
    }

    fileprivate mutating func append(_ name: WireName) throws(Failure) {
        try append(Array(name.string.utf8))
    }

    fileprivate mutating func append(_ link: LinkKey) throws(Failure) {
        try append(link.left.rawValue)
        try append(link.property)
        try append(link.right.rawValue)
    }

    fileprivate mutating func append(_ part: SavePart) throws(Failure) {
        try append(part.digest.bytes)
        try append(Int64(part.byteCount))
    }
}

/// Rows of one table, or the keys of some.
protocol TableRows {
    /// The table and the number of rows.
    var extent: (table: ZoneTable, count: Int) { get }

    /// Passes the values of one row on.
    func append<Values: ColumnValues>(_ row: Int, to values: inout Values) throws(Values.Failure)
}

extension TableRows {
    var table: ZoneTable { extent.table }
    var count: Int { extent.count }
}

/// The keys of rows that are removed.
enum RemovedRows: TableRows {
    case records([RecordKey])
    case links([LinkKey])

    var extent: (table: ZoneTable, count: Int) {
        switch self {
        case .records(let keys): (.record, keys.count)
        case .links(let keys): (.link, keys.count)
        }
    }

    func append<Values: ColumnValues>(_ row: Int, to values: inout Values) throws(Values.Failure) {
        switch self {
        case .records(let keys): try values.append(keys[row].rawValue)
        case .links(let keys): try values.append(keys[row])
        }
    }
}

extension ZoneChanges {
    /// The removed rows by table.
    var removed: [RemovedRows] {
        [.records(removedRecords), .links(removedLinks)].filter { $0.count > 0 }
    }
}

extension ZoneRows: TableRows {
    var extent: (table: ZoneTable, count: Int) {
        switch self {
        case .replicas(let rows): (.replica, rows.count)
        case .entities(let rows): (.entity, rows.count)
        case .properties(let rows): (.property, rows.count)
        case .entries(let rows): (.log, rows.count)
        case .records(let rows): (.record, rows.count)
        case .links(let rows): (.link, rows.count)
        case .acknowledgements(let rows): (.acknowledgement, rows.count)
        case .logParts(let rows): (.logPart, rows.count)
        case .pieces(let rows): (.part, rows.count)
        }
    }

    func append<Values: ColumnValues>(_ row: Int, to values: inout Values) throws(Values.Failure) {
        switch self {
        case .replicas(let rows): try rows[row].append(to: &values)
        case .entities(let rows):
            try values.append(rows[row].number)
            try values.append(rows[row].name)
        case .properties(let rows):
            let (number, property) = rows[row]
            try values.append(number)
            try values.append(property.name)
            try values.append(Int64(property.type.rawValue))
            try values.append(Int64(property.rule.rawValue))
        case .entries(let rows): try rows[row].append(to: &values)
        case .records(let rows):
            try rows[row].row.append(to: &values)
            try values.append(rows[row].dead)
        case .links(let rows):
            try values.append(rows[row].link)
            try values.append(rows[row].tags)
        case .acknowledgements(let rows):
            try values.append(rows[row].replica.bytes)
            try values.append(rows[row].position.position)
            try values.append(rows[row].position.seen)
        case .logParts(let rows):
            try values.append(rows[row].part)
            try values.append(rows[row].position)
        case .pieces(let rows):
            try values.append(rows[row].part)
            try values.append(Int64(rows[row].start))
            try values.append(rows[row].bytes)
        }
    }
}

extension ReplicaRow {
    fileprivate func append<Values: ColumnValues>(to values: inout Values) throws(Values.Failure) {
        try values.append(ordinal)
        try values.append(id.bytes)
        try values.append(head?.sequence ?? 0)
        try values.append(head?.origin.bytes)
    }
}

extension LogRow {
    fileprivate func append<Values: ColumnValues>(to values: inout Values) throws(Values.Failure) {
        try values.append(position)
        try values.append(Int64(kind.rawValue))
        try values.append(author)
        try values.append(sequence)
        try values.append(timestamp)
        try values.append(origin.bytes)
        try values.append(digest.bytes)
        try values.append(running.bytes)
        try values.append(changeSet)
    }
}

extension StateRow {
    fileprivate func append<Values: ColumnValues>(to values: inout Values) throws(Values.Failure) {
        try values.append(key.rawValue)
        try values.append(entity)
        try values.append(timestamp)
        try values.append(author)
        try values.append(cells)
        try values.append(seen)
    }
}
