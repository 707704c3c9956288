import Anabranch

/// Writes fields of CSV as RFC 4180 has them.
enum CSVText {
    /// Null is nothing at all, the empty text a pair of quotes.
    static func field(_ content: RecordColumn.Content) -> String {
        switch content {
        case .value(.null), .object(nil): ""
        case .object(let label?): field(label.uri)
        case .objects(let labels):
            labels.isEmpty ? "" : field(labels.map(\.uri).joined(separator: ";"))
        case .values(let values): values.isEmpty ? "" : field(content.text)
        case .value: field(content.text)
        }
    }

    /// In quotes where the text could be taken for something else.
    static func field(_ text: String) -> String {
        let isSpecial = text.utf8.contains { byte in
            [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")]
                .contains(byte)
        }
        guard text.isEmpty || isSpecial else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
