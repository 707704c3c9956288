/// One row of a CSV file.
struct CSVRecord {
    struct Field {
        let text: String
        /// True for a field in quotes, which is a text even if it is empty; an empty field without
        /// quotes has no value.
        let isQuoted: Bool
        let place: InputPlace
    }

    let fields: [Field]
    var place: InputPlace { fields.first?.place ?? InputPlace(line: 1, column: 1) }
}

/// Reads CSV as in RFC 4180, row by row.
///
/// Fields may be in quotes and then contain commas, line breaks and doubled quotes. Lines end with
/// LF or CR LF; the last line may lack its end. The RFC leaves some points open:
///
/// - Text is UTF-8, with or without a byte order mark.
/// - An empty line is skipped.
/// - Quotes inside an unquoted field, and text after a closing quote, are errors, because a guess
///   could lose data.
struct CSVParser {
    private let source: ByteSource
    private let delimiter: UInt8
    private let fieldLimit: Int

    /// The greatest number of bytes of one field, which is what a JSON value may have.
    static let largestField = JSONParser.largestValue
    static let maximumFields = 10_000

    init(
        _ source: ByteSource, delimiter: UInt8 = UInt8(ascii: ","),
        fieldLimit: Int = CSVParser.largestField
    ) {
        self.source = source
        self.delimiter = delimiter
        self.fieldLimit = fieldLimit
    }

    /// Reads the next row; `nil` at the end of the input.
    ///
    /// - Parameter count: The probable number of fields.
    ///
    /// - Throws: ``InputError`` with line and column.
    func next(expecting count: Int = 1) throws -> CSVRecord? {
        while let first = try source.peek() {
            if isLineEnd(first) {
                try skipLineEnd()
                continue
            }
            return try record(expecting: count)
        }
        return nil
    }

    private func record(expecting count: Int) throws -> CSVRecord {
        var fields: [CSVRecord.Field] = []
        fields.reserveCapacity(count)
        fields.append(try field())
        while let byte = try source.peek() {
            if byte == delimiter {
                _ = try source.next()
                guard fields.count < Self.maximumFields else {
                    throw error("The row has more than \(Self.maximumFields) fields.", source.place)
                }
                fields.append(try field())
            } else {
                try skipLineEnd()
                break
            }
        }
        return CSVRecord(fields: fields)
    }

    private func field() throws -> CSVRecord.Field {
        let place = source.place
        if try source.peek() == UInt8(ascii: "\"") { return try quotedField(at: place) }
        let text = try source.takeText(until: endsField) ?? plainText(from: place)
        if try source.peek() == UInt8(ascii: "\"") {
            throw error(
                "A quote stands inside a field that doesn't begin with one. Put the field in "
                    + "quotes and double the quote.", source.place)
        }
        return CSVRecord.Field(text: text, isQuoted: false, place: place)
    }

    private func plainText(from place: InputPlace) throws -> String {
        var bytes: [UInt8] = []
        try source.take(into: &bytes, limit: fieldLimit, until: endsField)
        if let byte = try source.peek(), !endsField(byte) { throw tooLong(place) }
        return try text(bytes, place)
    }

    /// True for the bytes at which a field without quotes ends, or at which it is wrong.
    @inline(__always)
    private func endsField(_ byte: UInt8) -> Bool {
        byte == delimiter || isLineEnd(byte) || byte == UInt8(ascii: "\"")
    }

    private func quotedField(at place: InputPlace) throws -> CSVRecord.Field {
        let quote = UInt8(ascii: "\"")
        _ = try source.next()
        var bytes: [UInt8] = []
        while true {
            try source.take(into: &bytes, limit: fieldLimit) { byte in
                byte == quote || byte == UInt8(ascii: "\n")
            }
            guard let byte = try source.peek() else { break }
            _ = try source.next()
            if byte == quote {
                let following = try source.peek()
                guard following == quote else {
                    try checkEnd(following)
                    return CSVRecord.Field(
                        text: try text(bytes, place), isQuoted: true, place: place)
                }
                _ = try source.next()
            }
            guard bytes.count < fieldLimit else { throw tooLong(place) }
            bytes.append(byte)
        }
        throw error("The quote that opens here is never closed.", place)
    }

    /// Checks the byte after a closing quote; `nil` is the end of the input.
    private func checkEnd(_ following: UInt8?) throws {
        guard let following, following != delimiter, !isLineEnd(following) else { return }
        throw error(
            "Text follows a closing quote. A quote inside a field is written twice.",
            source.place)
    }

    private func tooLong(_ place: InputPlace) -> InputError {
        error(
            "A field is longer than \(Quantity.bytes(fieldLimit)). Is a quote missing?",
            place)
    }

    private func text(_ bytes: [UInt8], _ place: InputPlace) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("The field isn't UTF-8. Convert the file, as by iconv -t UTF-8.", place)
        }
        return text
    }

    private func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private func skipLineEnd() throws {
        let place = source.place
        let byte = try source.next()
        if byte == UInt8(ascii: "\r") {
            guard try source.peek() == UInt8(ascii: "\n") else {
                throw error("A carriage return stands alone. Lines end with LF or CR LF.", place)
            }
            _ = try source.next()
        }
    }

    private func error(_ message: String, _ place: InputPlace) -> InputError {
        InputError(file: source.name, place: place, message: message)
    }
}
