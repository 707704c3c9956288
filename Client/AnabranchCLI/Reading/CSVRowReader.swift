/// Reads rows of a CSV file; its first line names the columns.
struct CSVRowReader: RowReader {
    private let parser: CSVParser
    private let file: String
    private let names: [String]

    var columns: [String]? { names }

    init(_ source: ByteSource, delimiter: UInt8 = UInt8(ascii: ",")) throws {
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
        guard record.fields.count == names.count else {
            throw InputError(
                file: file, place: record.place,
                message: "The row has \(record.fields.count) fields where the first line names "
                    + "\(names.count) columns.")
        }
        let cells = zip(names, record.fields).map { name, field in
            InputRow.Cell(
                name: name, content: .text(field.text, isQuoted: field.isQuoted),
                place: field.place)
        }
        return InputRow(cells: cells, place: record.place)
    }
}
