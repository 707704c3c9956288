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
struct CellList {
    struct Cell {
        let property: Int64
        let timestamp: UInt64
        /// The ordinal of the stamp's replica.
        let author: Int64
        let value: StoredBytes
    }

    private(set) var cells: [Cell] = []

    init() {}

    /// Decodes the cells of a row.
    ///
    /// - Parameters:
    ///   - timestamp: The row's timestamp, for cells without a stamp of their own.
    ///   - author: The ordinal of the row's replica, for the same cells.
    init(decoding bytes: [UInt8], timestamp: UInt64, author: Int64) throws {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let header = try reader.readVarint()
            let isOwn = header & 1 == 1
            let ownTimestamp = isOwn ? try reader.readFixed64() : timestamp
            let ownAuthor = isOwn ? Int64(truncatingIfNeeded: try reader.readVarint()) : author
            let value = try reader.readNested()
            cells.append(
                Cell(
                    property: Int64(truncatingIfNeeded: header >> 1), timestamp: ownTimestamp,
                    author: ownAuthor,
                    value: StoredBytes(
                        bytes[value.offset..<value.offset + value.remaining])))
        }
    }

    /// The cell of a property that has one value.
    subscript(property: Int64) -> Cell? { cells.first { $0.property == property } }

    func siblings(of property: Int64) -> [Cell] { cells.filter { $0.property == property } }

    mutating func put(_ cell: Cell) {
        let place = cells.firstIndex { $0.property >= cell.property } ?? cells.endIndex
        if place < cells.endIndex, cells[place].property == cell.property {
            cells[place] = cell
        } else {
            cells.insert(cell, at: place)
        }
    }

    /// Replaces all cells of a property.
    ///
    /// - Parameter siblings: The new cells, in ascending order of their stamps.
    mutating func put(_ siblings: [Cell], of property: Int64) {
        cells.removeAll { $0.property == property }
        let place = cells.firstIndex { $0.property > property } ?? cells.endIndex
        cells.insert(contentsOf: siblings, at: place)
    }

    /// Encodes the cells for a row.
    ///
    /// - Parameters:
    ///   - timestamp: The row's timestamp; cells with the row's stamp are written without it.
    ///   - author: The ordinal of the row's replica.
    func encoded(timestamp: UInt64, author: Int64) -> [UInt8] {
        let size = cells.reduce(0) { $0 + $1.value.count + 14 }
        var writer = ByteWriter(reservingCapacity: min(size, Self.maximumReserved))
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
        for column in columns {
            writer.append(varint: UInt64(column.number) << 1)
            column.write(row, to: &writer)
        }
        return writer.bytes
    }
}
