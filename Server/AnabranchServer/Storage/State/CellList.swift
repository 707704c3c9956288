import AnabranchReplication

/// The cells of one record, as its row stores them.
///
/// Cells are sorted by property number, then by stamp. Each cell is encoded as follows:
///
/// - a varint `number × 2 + own`, where `own` is 1 if the cell has a stamp of its own;
/// - that stamp, if there is one: eight bytes of timestamp and a varint of the replica's ordinal;
/// - a length and the value.
///
/// A cell without its own stamp has the row's stamp, so a record that was only inserted stores one
/// stamp. A property has one cell; under `keepBoth` it has one cell for each concurrent value.
///
/// Reading or replacing the cells of one property takes logarithmic time, so a change of many
/// properties takes hardly more than its own length.
struct CellList {
    struct Cell {
        let property: Int64
        let timestamp: UInt64
        /// The ordinal of the stamp's replica.
        let author: Int64
        let value: StoredBytes

        /// An upper limit of the length of the encoding, for common numbers.
        fileprivate var largestSize: Int { value.count + 14 }
    }

    /// The decoded cells in their order. A cell that was replaced alone is replaced here.
    private var held: [Cell] = []
    /// The cells of properties that are not in `held`, or that have obsolete cells there.
    private var changed: [Int64: [Cell]] = [:]
    private(set) var count = 0
    /// An upper limit of the length of the encoding.
    private(set) var byteCount = 0

    init() {}

    /// Decodes the cells of a row.
    ///
    /// - Parameters:
    ///   - timestamp: The row's timestamp, for cells without a stamp of their own.
    ///   - author: The ordinal of the row's replica, for the same cells.
    ///
    /// - Throws: ``ChangeSetDecodingError`` if the bytes are damaged.
    init(decoding bytes: [UInt8], timestamp: UInt64, author: Int64) throws {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let header = try reader.readVarint()
            let isOwn = header & 1 == 1
            let ownTimestamp = isOwn ? try reader.readFixed64() : timestamp
            let ownAuthor = isOwn ? Int64(clamping: try reader.readVarint()) : author
            let value = try reader.readNested()
            let cell = Cell(
                property: Int64(truncatingIfNeeded: header >> 1), timestamp: ownTimestamp,
                author: ownAuthor,
                value: StoredBytes(bytes[value.offset..<value.offset + value.remaining]))
            guard held.last.map({ $0.property <= cell.property }) ?? true else {
                throw reader.failure(.malformed, "the cells of a record are not in order")
            }
            held.append(cell)
            byteCount += cell.largestSize
        }
        count = held.count
    }

    /// Decodes the cells of a row.
    ///
    /// - Throws: ``StorageError`` `damaged`, with the record.
    init(of row: StateRow) throws {
        self = try StorageError.decoding(
            "the values of record \(row.key.number) of replica \(row.key.ordinal)"
        ) {
            try CellList(decoding: row.cells, timestamp: row.timestamp, author: row.author)
        }
    }

    /// All cells in their order.
    var cells: [Cell] {
        guard !changed.isEmpty else { return held }
        var all: [Cell] = []
        all.reserveCapacity(count)
        var start = held.startIndex
        for (property, cells) in changed.sorted(by: { $0.key < $1.key }) {
            let place = place(of: property)
            all += held[start..<place]
            all += cells
            start = end(of: property, from: place)
        }
        return all + held[start...]
    }

    /// The cell of a property that has one value.
    subscript(property: Int64) -> Cell? {
        if !changed.isEmpty, let cells = changed[property] { return cells.first }
        let place = place(of: property)
        return place < held.endIndex && held[place].property == property ? held[place] : nil
    }

    func siblings(of property: Int64) -> [Cell] {
        if !changed.isEmpty, let cells = changed[property] { return cells }
        let place = place(of: property)
        return Array(held[place..<end(of: property, from: place)])
    }

    /// Replaces the first cell of a property, or adds one.
    mutating func put(_ cell: Cell) {
        let before = self[cell.property]
        count += before == nil ? 1 : 0
        byteCount += cell.largestSize - (before?.largestSize ?? 0)
        if let index = changed.index(forKey: cell.property) {
            // In place, because there may be many siblings.
            if changed.values[index].isEmpty {
                changed.values[index] = [cell]
            } else {
                changed.values[index][0] = cell
            }
            return
        }
        let place = place(of: cell.property)
        if before != nil {
            held[place] = cell
        } else if place == held.endIndex {
            held.append(cell)
        } else {
            changed[cell.property] = [cell]
        }
    }

    /// Replaces all cells of a property.
    ///
    /// - Parameter siblings: The new cells, in ascending order of their stamps.
    mutating func put(_ siblings: [Cell], of property: Int64) {
        let before = self.siblings(of: property)
        count += siblings.count - before.count
        byteCount +=
            siblings.reduce(0) { $0 + $1.largestSize }
            - before.reduce(0) { $0 + $1.largestSize }
        changed[property] = siblings
    }

    /// The index in `held` of the first cell that does not belong to an earlier property, in
    /// logarithmic time.
    private func place(of property: Int64) -> Int {
        held.partitioningIndex { $0.property >= property }
    }

    /// The index in `held` after the cells of a property that begin at a place.
    private func end(of property: Int64, from place: Int) -> Int {
        held[place...].firstIndex { $0.property != property } ?? held.endIndex
    }

    /// Encodes the cells for a row.
    ///
    /// - Parameters:
    ///   - timestamp: The row's timestamp; cells with the row's stamp are written without it.
    ///   - author: The ordinal of the row's replica.
    func encoded(timestamp: UInt64, author: Int64) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: min(byteCount, Self.maximumReserved))
        for cell in cells {
            let isOwn = cell.timestamp != timestamp || cell.author != author
            writer.append(varint: UInt64(cell.property) << 1 | (isOwn ? 1 : 0))
            if isOwn {
                writer.append(fixed64: cell.timestamp)
                writer.append(varint: UInt64(cell.author))
            }
            writer.append(count: cell.value.count)
            cell.value.write(to: &writer)
        }
        return writer.bytes
    }

    /// Above this size there are large values, which are not copied into the writer.
    private static let maximumReserved = 1 << 20

    /// Encodes the cells of an inserted record directly from the columns.
    ///
    /// - Parameter columns: In ascending order of property numbers.
    static func encoded(row: Int, of columns: [EncodedColumn]) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: columns.count * 16)
        for index in columns.indices {
            writer.append(varint: UInt64(columns[index].number) << 1)
            columns[index].write(row, to: &writer)
        }
        return writer.bytes
    }
}
