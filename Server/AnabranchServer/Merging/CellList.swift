import AnabranchReplication

/// The cells of one record, as its row keeps them.
///
/// For each cell, in ascending order of property numbers, then of stamps: a varint
/// `number × 2 + own`, where `own` is 1 if the cell has a stamp of its own; then that stamp, eight
/// bytes of timestamp and a varint of the replica's ordinal; then a length and the value. A cell
/// without a stamp of its own has the row's, so a record that was only inserted carries one stamp.
/// A property has one cell, under `keepBoth` one for each value that stands beside the others.
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

    /// - Parameters:
    ///   - timestamp: Of the row, for cells without one of their own.
    ///   - author: Of the row, likewise.
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

    /// - Parameter siblings: All of the property, in ascending order of their stamps.
    mutating func put(_ siblings: [Cell], of property: Int64) {
        cells.removeAll { $0.property == property }
        let place = cells.firstIndex { $0.property > property } ?? cells.endIndex
        cells.insert(contentsOf: siblings, at: place)
    }

    /// - Parameters:
    ///   - timestamp: Of the row; cells that share its stamp are written without one.
    ///   - author: Of the row, likewise.
    func encoded(timestamp: UInt64, author: Int64) -> [UInt8] {
        let size = cells.reduce(0) { $0 + $1.value.count + 14 }
        var writer = ByteWriter(reservingCapacity: min(size, Self.mostReserved))
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

    /// Beyond that there are values which are not copied into the writer.
    private static let mostReserved = 1 << 20

    /// The bytes of a record that one insert made, straight from the columns.
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
