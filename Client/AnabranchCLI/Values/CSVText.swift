import Anabranch

/// Writes fields of CSV as in RFC 4180.
enum CSVText {
    /// Writes a row.
    ///
    /// - Throws: Errors as ``field(_:separator:)`` does.
    static func row(_ contents: [RecordColumn.Content], separator: Character) throws -> String {
        let fields = try contents.map { try field($0, separator: separator) }
        // An empty line would not be read as a row.
        return fields == [""] ? "\"\"" : fields.joined(separator: ",")
    }

    /// Writes a field: nothing for null, a pair of quotes for the empty text.
    ///
    /// - Throws: ``CommandFailure`` if several values in one field cannot be told apart.
    static func field(_ content: RecordColumn.Content, separator: Character) throws -> String {
        switch content {
        case .value(.null), .object(nil): ""
        case .object(let label?): field(label.uri)
        case .objects(let labels): try field(labels.map(\.uri), separator)
        case .values(let values): try field(values.map(ValueText.text), separator)
        case .value: field(content.text)
        }
    }

    private static func field(_ texts: [String], _ separator: Character) throws -> String {
        if let text = texts.first(where: { $0.contains(separator) }) {
            throw CommandFailure(
                .data,
                "Can't write '\(ValueCheck.shown(text))' as one of several values in a field "
                    + "because it has a '\(separator)' in it, which stands between them. Choose "
                    + "another by --separator, or write JSON.")
        }
        return texts.isEmpty ? "" : field(texts.joined(separator: String(separator)))
    }

    /// Writes a text, in quotes if it is empty or contains a special character.
    static func field(_ text: String) -> String {
        let isSpecial = text.utf8.contains { byte in
            [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")]
                .contains(byte)
        }
        guard text.isEmpty || isSpecial else { return text }
        // A quote can be one character with the scalars that follow it.
        let inner = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }
        return "\"\(inner.joined())\""
    }
}
