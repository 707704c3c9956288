import AnabranchReplication

/// A column of a change set in the encoding of the stored state: all values' bytes in sequence.
///
/// Merging by stamps does not decode them; only `max`, `min` and counters read values.
struct EncodedColumn {
    /// The zone's number for the property.
    let number: Int64
    let property: WireProperty
    /// The values as the change set has them.
    let values: [Value]
    private let bytes: [UInt8]
    private let ends: [Int]
    /// The large values by row, which `bytes` does not contain.
    private let large: [Int: StoredBytes]

    /// Encodes the values of a column.
    ///
    /// - Parameters:
    ///   - number: The zone's number for the property.
    ///   - ordinal: Returns the ordinal of a replica.
    init(
        property: WireProperty, number: Int64, values: [Value],
        ordinal: (ReplicaID) throws -> Int64
    ) throws {
        self.property = property
        self.number = number
        self.values = values
        var encoded = ByteWriter(reservingCapacity: values.count * 8)
        var ends: [Int] = []
        ends.reserveCapacity(values.count)
        var large: [Int: StoredBytes] = [:]
        for (row, value) in values.enumerated() {
            if let value = StoredBytes(large: value) {
                large[row] = value
            } else {
                try StoredValue.append(value, to: &encoded, ordinal: ordinal)
            }
            ends.append(encoded.count)
        }
        bytes = encoded.bytes
        self.ends = ends
        self.large = large
    }

    subscript(row: Int) -> StoredBytes { large[row] ?? StoredBytes(slice(row)) }

    /// Writes a length and the value.
    func write(_ row: Int, to writer: inout ByteWriter) {
        if !large.isEmpty, let value = large[row] {
            writer.append(count: value.count)
            return value.write(to: &writer)
        }
        let value = slice(row)
        writer.append(count: value.count)
        writer.append(raw: value)
    }

    private func slice(_ row: Int) -> ArraySlice<UInt8> {
        bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]]
    }
}
