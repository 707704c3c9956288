import Foundation

/// The keys of an input's rows with their places.
///
/// Memory does not grow with the number of keys. They are divided by their hashes among
/// partitions, and each partition is kept in chunks of a temporary file. To compare all keys, one
/// partition after the other is read and sorted. A key is represented by two hashes of 64 bits,
/// which begin with random numbers of the process. So two different keys count as one key with a
/// probability of about the square of their number in 2^129, whatever the input.
struct KeyLedger {
    /// A key and the place of its row.
    struct Entry {
        fileprivate let hash: (UInt64, UInt64)
        fileprivate let packedPlace: UInt64
        /// A number that the owner of the ledger gave to the row.
        let note: Int

        var place: InputPlace {
            InputPlace(
                line: Int(packedPlace >> KeyLedger.columnBits),
                column: Int(packedPlace & KeyLedger.greatestColumn))
        }

        fileprivate func hasKey(of other: Entry) -> Bool { hash == other.hash }

        static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
            if left.hash.0 != right.hash.0 { return left.hash.0 < right.hash.0 }
            if left.hash.1 != right.hash.1 { return left.hash.1 < right.hash.1 }
            return left.packedPlace < right.packedPlace
        }
    }

    private struct Partition {
        /// The entries that are not in the file yet.
        var entries: [Entry] = []
        /// The places of full chunks in the file, in bytes.
        var chunks: [Int] = []
    }

    private static let columnBits: UInt64 = 20
    private static let greatestColumn: UInt64 = 1 << columnBits - 1
    private static let partitionBits: UInt64 = 7
    private static let chunkEntries = 1024

    private var partitions = Array(repeating: Partition(), count: 1 << partitionBits)
    /// The file, as soon as a chunk is full.
    private var file: TemporaryFile?

    /// Adds the key of a row.
    ///
    /// - Parameter combine: Adds the key to a hash.
    ///
    /// - Throws: ``CommandFailure`` if the temporary file can't be written.
    mutating func add(
        at place: InputPlace, note: Int = 0, _ combine: (inout Hasher) throws -> Void
    ) throws {
        var hashers = (Hasher(), Hasher())
        hashers.1.combine(true)
        try combine(&hashers.0)
        try combine(&hashers.1)
        let hash = (
            UInt64(bitPattern: Int64(hashers.0.finalize())),
            UInt64(bitPattern: Int64(hashers.1.finalize()))
        )
        let packed =
            UInt64(place.line) << Self.columnBits
            | min(UInt64(place.column), Self.greatestColumn)
        try add(Entry(hash: hash, packedPlace: packed, note: note))
    }

    private mutating func add(_ entry: Entry) throws {
        let number = Int(entry.hash.0 >> (64 - Self.partitionBits))
        partitions[number].entries.append(entry)
        guard partitions[number].entries.count == Self.chunkEntries else { return }
        let file = try file ?? TemporaryFile()
        self.file = file
        let place = try partitions[number].entries.withUnsafeBytes { try file.append($0) }
        partitions[number].chunks.append(place)
        partitions[number].entries.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with the entries of each key, in the order of their places. The keys come in
    /// no order.
    func forEachKey(_ body: (ArraySlice<Entry>) -> Void) throws {
        for partition in partitions {
            let entries = try entries(of: partition)
            var start = 0
            while start < entries.count {
                var end = start + 1
                while end < entries.count, entries[end].hasKey(of: entries[start]) { end += 1 }
                body(entries[start..<end])
                start = end
            }
        }
    }

    private func entries(of partition: Partition) throws -> [Entry] {
        let count = partition.chunks.count * Self.chunkEntries + partition.entries.count
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        if let file {
            for place in partition.chunks {
                entries += try [Entry](unsafeUninitializedCapacity: Self.chunkEntries) {
                    try file.read(into: UnsafeMutableRawBufferPointer($0), at: place)
                    $1 = Self.chunkEntries
                }
            }
        }
        entries += partition.entries
        entries.sort(by: Entry.isBefore)
        return entries
    }
}
