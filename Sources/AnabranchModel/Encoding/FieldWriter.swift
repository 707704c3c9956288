import AnabranchReplication

/// Writes a record as fields, each a number and a block; default values are left out.
struct FieldWriter {
    private var writer = ByteWriter()

    var bytes: [UInt8] { writer.bytes }

    mutating func append(_ field: UInt8, block: [UInt8]) {
        writer.append(byte: field)
        writer.append(block: block)
    }

    mutating func append(_ field: UInt8, text: String?) {
        guard let text else { return }
        append(field, block: Array(text.utf8))
    }

    /// Writes a set flag as an empty field, and nothing for a flag that is not set.
    mutating func append(_ field: UInt8, flag: Bool) {
        if flag { append(field, block: []) }
    }

    mutating func append(_ field: UInt8, number: Int?) {
        guard let number else { return }
        var content = ByteWriter()
        content.append(signed: Int64(number))
        append(field, block: content.bytes)
    }

    mutating func append(_ field: UInt8, value: Value?) {
        guard let value else { return }
        var content = ByteWriter()
        content.append(tagged: value)
        append(field, block: content.bytes)
    }

    /// Writes one field for each element, in the given order.
    mutating func append<Element>(
        _ field: UInt8, records: [Element], _ write: (Element, inout FieldWriter) -> Void
    ) {
        for record in records {
            var content = FieldWriter()
            write(record, &content)
            append(field, block: content.bytes)
        }
    }

    /// Writes one field for each entry, sorted by the bytes of the keys.
    ///
    /// The field contains two texts, each with its length.
    mutating func append(_ field: UInt8, entries: [String: String]) {
        let sorted = entries.sorted { $0.key.precedesByBytes($1.key) }
        for (key, value) in sorted {
            var content = ByteWriter()
            content.append(string: key)
            content.append(string: value)
            append(field, block: content.bytes)
        }
    }
}
