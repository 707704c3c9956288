/// One record of an input file, its values still as they were written.
struct InputRow {
    struct Cell {
        let name: String
        let content: Content
        let place: InputPlace
    }

    enum Content: Hashable {
        /// Of a table: what it means depends on the attribute. `isQuoted` tells the empty text
        /// from no value.
        case text(String, isQuoted: Bool)
        case json(JSONValue)
    }

    let cells: [Cell]
    let place: InputPlace
}

/// Gives an input file's records one after the other.
protocol RowReader {
    /// The columns that every row has; `nil` where each row has its own.
    var columns: [String]? { get }
    /// - Throws: ``InputError`` with the place of what can't be read.
    mutating func next() throws -> InputRow?
}
