/// Reads rows of a CSV file; its first line names the columns.
struct CSVRowReader: RowReader {
    private let parser: CSVParser
    private let file: String
    private let names: [String]
    private let padsRows: Bool

    var columns: [String]? { names }

    /// Reads the first line.
    ///
    /// - Parameter padsRows: True if a row may end before the last column; the other columns then
    ///   have no value.
    ///
    /// - Throws: ``InputError`` if the line can't be read, or names a column twice.
    init(
        _ source: ByteSource, delimiter: UInt8 = UInt8(ascii: ","), padsRows: Bool = false
    ) throws {
        self.padsRows = padsRows
        parser = CSVParser(source, delimiter: delimiter)
        file = source.name
        guard let header = try parser.next() else {
            throw InputError(
                file: file, message: "The input is empty; its first line has to name the columns.")
        }
        var seen: Set<String> = []
        for field in header.fields where !seen.insert(field.text).inserted {
            throw InputError(
                file: file, place: field.place,
                message: "Two columns are named '\(field.text)'.")
        }
        names = header.fields.map(\.text)
    }

    mutating func next() throws -> InputRow? {
        guard let record = try parser.next(expecting: names.count) else { return nil }
        var fields = record.fields
        let missing = names.count - fields.count
        guard missing == 0 || missing > 0 && padsRows else {
            throw InputError(
                file: file, place: record.place,
                message: "The row has \(fields.count) fields where the first line names "
                    + "\(names.count) columns."
                    + (missing > 0 ? " Type --pad-rows if rows may end early." : ""))
        }
        for _ in 0..<missing {
            fields.append(CSVRecord.Field(text: "", isQuoted: false, place: record.place))
        }
        let cells = zip(names, fields).map { name, field in
            InputRow.Cell(
                name: name, content: .text(field.text, isQuoted: field.isQuoted),
                place: field.place)
        }
        return InputRow(cells: cells, place: record.place)
    }
}
