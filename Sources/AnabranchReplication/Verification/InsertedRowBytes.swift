/// The canonical bytes of the records that one insert block creates.
///
/// The bytes that all these records share are encoded only once, because a server gets mostly
/// inserts.
package struct InsertedRowBytes: Sendable {
    /// The shared bytes after the identity.
    private let head: [UInt8]
    /// The columns in canonical order: the index of each, and the bytes that precede its value.
    private let columns: [(index: Int, head: [UInt8])]

    /// Creates the encoder for one insert block.
    ///
    /// - Parameters:
    ///   - entity: The wire name of the entity.
    ///   - properties: The written properties, each once.
    ///   - stamp: The stamp of the insert.
    package init(entity: WireName, properties: [WireProperty], stamp: Stamp) {
        var writer = ByteWriter()
        writer.append(string: entity.string)
        writer.append(byte: 0)
        writer.append(count: properties.count)
        head = writer.bytes
        columns = properties.enumerated().sorted { $0.element < $1.element }
            .map { index, property in
                var writer = ByteWriter()
                writer.append(property: property)
                writer.append(stamp: stamp)
                return (index, writer.bytes)
            }
    }

    /// Encodes one record.
    ///
    /// - Parameters:
    ///   - record: The identity of the record.
    ///   - value: Returns the value of the property with an index.
    /// - Returns: The same bytes as ``CanonicalRecord/encoded()``.
    package func bytes(of record: RecordID, value: (Int) -> PropertyValue) -> ByteWriter {
        var writer = ByteWriter(reservingCapacity: 64 + columns.count * 64)
        writer.append(record: record)
        writer.append(raw: head)
        for column in columns {
            writer.append(raw: column.head)
            writer.append(tagged: value(column.index))
        }
        writer.append(count: 0)
        writer.append(count: 0)
        return writer
    }
}
