/// One record of an input file, with its values as they are written.
struct InputRow {
    struct Cell {
        let name: String
        let content: Content
        let place: InputPlace
    }

    enum Content: Hashable {
        /// The text of a CSV field, which is converted by the attribute's type. `isQuoted`
        /// distinguishes the empty text from no value.
        case text(String, isQuoted: Bool)
        case json(JSONValue)
    }

    let cells: [Cell]
    let place: InputPlace
}

/// Reads the records of an input file one after the other.
protocol RowReader {
    /// The columns that every row has; `nil` if each row has its own.
    var columns: [String]? { get }
    /// Reads the next record; `nil` at the end.
    ///
    /// - Throws: ``InputError`` with the position of the unreadable text.
    mutating func next() throws -> InputRow?
}
