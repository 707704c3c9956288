/// The canonical bytes of the records that one insert makes.
///
/// What all of them share is encoded once: a bulk of inserts is what a server has most of.
public struct InsertedRowBytes: Sendable {
    /// Behind the identity.
    private let head: [UInt8]
    /// In canonical order: the column's index, and what stands before its value.
    private let columns: [(index: Int, head: [UInt8])]

    /// - Parameters:
    ///   - properties: Each once.
    ///   - stamp: Of the insert.
    public init(entity: WireName, properties: [WireProperty], stamp: Stamp) {
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

    /// - Parameter value: Of the property with an index.
    /// - Returns: What ``CanonicalRecord/encoded()`` gives of the record.
    public func bytes(of record: RecordID, value: (Int) -> Value) -> ByteWriter {
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
