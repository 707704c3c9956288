/// The format of an input.
struct InputFormat {
    enum Format: String, CaseIterable { case csv, json }

    let format: Format
    let delimiter: UInt8
    /// True if rows of CSV may end before the last column.
    let padsRows: Bool
    /// The member of a JSON object that contains the records.
    let member: String?

    /// Determines the format from the options and the file name.
    ///
    /// - Throws: ``UsageError`` if neither tells the format.
    init(path: String, arguments: ParsedArguments) throws(UsageError) {
        member = arguments.text("member")
        padsRows = arguments.isSet("pad-rows")
        delimiter = try Self.delimiter(arguments)
        if let chosen: Format = try arguments.choice("format") {
            format = chosen
        } else if member != nil {
            format = .json
        } else {
            let suffix = path.split(separator: ".").last?.lowercased() ?? ""
            switch suffix {
            case "csv", "tsv": format = .csv
            case "json", "jsonl", "ndjson": format = .json
            default:
                throw arguments.error(
                    "The format of \(path) is not known. Type --format csv or json.")
            }
        }
    }

    private static func delimiter(_ arguments: ParsedArguments) throws(UsageError) -> UInt8 {
        guard let text = arguments.text("delimiter") else { return UInt8(ascii: ",") }
        if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
        guard let byte = text.utf8.first, text.utf8.count == 1, byte >= 0x20, byte < 0x7F,
            byte != UInt8(ascii: "\"")
        else { throw arguments.error("--delimiter takes one character or 'tab', not '\(text)'.") }
        return byte
    }

    func rows(of source: ByteSource) throws -> any RowReader {
        switch format {
        case .csv: try CSVRowReader(source, delimiter: delimiter, padsRows: padsRows)
        case .json: try JSONRowReader(source, member: member)
        }
    }
}
