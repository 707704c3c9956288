import AnabranchReplication

/// A column of a change set in the encoding of the stored state: all values' bytes in sequence.
/// Nulls that the column does not store have no bytes here either.
///
/// Merging by stamps does not decode them; only `max`, `min` and counters read values.
struct EncodedColumn {
    /// The zone's number for the property.
    let number: Int64
    let property: WireProperty
    /// The values as the change set has them.
    let values: ValueColumn
    private let bytes: [UInt8]
    /// The ends in `bytes` of the stored values.
    private let ends: [Int]
    /// The large values by their index among the stored ones. `bytes` does not contain them.
    private let large: [Int: StoredBytes]

    /// Encodes the values of a column.
    ///
    /// - Parameters:
    ///   - number: The zone's number for the property.
    ///   - ordinal: Returns the ordinal of a replica.
    init(
        property: WireProperty, number: Int64, values: ValueColumn,
        ordinal: (ReplicaID) throws -> Int64
    ) throws {
        self.property = property
        self.number = number
        self.values = values
        var encoded = ByteWriter(reservingCapacity: values.stored.count * 8)
        var ends: [Int] = []
        ends.reserveCapacity(values.stored.count)
        var large: [Int: StoredBytes] = [:]
        for (index, value) in values.stored.enumerated() {
            if let value = StoredBytes(large: value) {
                large[index] = value
            } else {
                try StoredValue.append(value, to: &encoded, ordinal: ordinal)
            }
            ends.append(encoded.count)
        }
        bytes = encoded.bytes
        self.ends = ends
        self.large = large
    }

    private static let null = StoredBytes([ValueTag.null])

    subscript(row: Int) -> StoredBytes {
        guard let index = values.storedIndex(ofRow: row) else { return Self.null }
        return large[index] ?? StoredBytes(bytes[range(index)])
    }

    /// Writes a length and the value.
    func write(_ row: Int, to writer: inout ByteWriter) {
        guard let index = values.storedIndex(ofRow: row), large.isEmpty || large[index] == nil
        else {
            let value = self[row]
            writer.append(count: value.count)
            return value.write(to: &writer)
        }
        let range = range(index)
        writer.append(count: range.count)
        bytes.withUnsafeBufferPointer {
            writer.append(raw: UnsafeBufferPointer(rebasing: $0[range]))
        }
    }

    /// The place in `bytes` of a stored value.
    private func range(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }
}
