/// A checksum of a merged state or a part of it. Two replicas compare it to see whether their
/// states are equal without sending them.
///
/// The parts of a state are its records, each without its links, and its links. The BLAKE2b-256
/// digest of each part's canonical bytes is read as four 64-bit numbers, and each of the four is
/// summed modulo 2^64. So the order does not matter, and a part can be subtracted again. A change
/// of one part in a state of millions updates the sum at the cost of that part. A link is a part of
/// its own, so adding a link to a record with many links is as cheap as adding the first.
///
/// The checksum detects mistakes and damage, but not forgery: a client with write access can write
/// wrong data.
///
/// Source: Bellare and Micciancio, "A New Paradigm for Collision-Free Hashing: Incrementality at
/// Reduced Cost", EUROCRYPT 1997 (AdHash).
package struct StateChecksum: Hashable, Sendable {
    /// The number of records, dead ones included, modulo 2^64.
    package private(set) var recordCount: UInt64
    private var sums: SIMD4<UInt64>

    /// The checksum of a state without records.
    package static let zero = StateChecksum(recordCount: 0, sums: .zero)

    private init(recordCount: UInt64, sums: SIMD4<UInt64>) {
        self.recordCount = recordCount
        self.sums = sums
    }

    // MARK: - Sums

    /// Adds the parts of two states.
    package static func &+ (left: StateChecksum, right: StateChecksum) -> StateChecksum {
        StateChecksum(
            recordCount: left.recordCount &+ right.recordCount, sums: left.sums &+ right.sums)
    }

    /// Subtracts the parts of one state from those of another.
    package static func &- (left: StateChecksum, right: StateChecksum) -> StateChecksum {
        StateChecksum(
            recordCount: left.recordCount &- right.recordCount, sums: left.sums &- right.sums)
    }

    // MARK: - Parts

    /// Computes the checksum of a record with all its links.
    package init(of record: CanonicalRecord) {
        self.init(ofRow: record.written(links: []))
        for link in record.links { self = self &+ StateChecksum(of: link, from: record.id) }
    }

    /// Computes the checksum of a record without its links.
    ///
    /// - Parameter bytes: The bytes that ``CanonicalRecord/encoded()`` returns for the record
    ///   without links.
    package init(ofRow bytes: [UInt8]) { self.init(ofRow: ByteWriter(bytes)) }

    /// Computes the checksum of a record without its links, without copying large values.
    package init(ofRow bytes: ByteWriter) { self.init(recordCount: 1, of: bytes) }

    /// Computes the checksum of a link.
    ///
    /// It covers the canonical bytes of a record that has the identity of the left end, no entity,
    /// no cells and only this link.
    package init(of link: CanonicalRecord.Link, from left: RecordID) {
        let bare = CanonicalRecord(id: left, entity: "", links: [link])
        self.init(recordCount: 0, of: bare.written())
    }

    private init(recordCount: UInt64, of bytes: ByteWriter) {
        let words = Digest(of: bytes).words
        self.init(recordCount: recordCount, sums: SIMD4(words.0, words.1, words.2, words.3))
    }

    // MARK: - Bytes

    /// The number of bytes of a checksum: the record count and the four sums.
    package static let byteCount = 40

    /// Creates a checksum from its bytes.
    ///
    /// - Parameter bytes: The 40 bytes that the property ``bytes`` had.
    /// - Returns: `nil` for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var reader = ByteReader(Array(bytes))
        guard let checksum = try? reader.readChecksum() else { return nil }
        self = checksum
    }

    /// The record count and the four sums as 40 bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter(reservingCapacity: Self.byteCount)
        writer.append(checksum: self)
        return writer.bytes
    }
}

extension StateChecksum: CustomStringConvertible {
    /// The four sums in 64 lower-case hexadecimal digits.
    package var description: String { bytes.dropFirst(8).hexadecimal }
}

extension ByteWriter {
    /// Appends the record count as a little-endian number, then the four sums as big-endian
    /// numbers.
    package mutating func append(checksum: StateChecksum) {
        append(fixed64: checksum.recordCount)
        for word in checksum.words { append(bigEndian64: word) }
    }
}

extension ByteReader {
    /// Reads a checksum that `append(checksum:)` wrote.
    package mutating func readChecksum() throws(ChangeSetDecodingError) -> StateChecksum {
        let count = try readFixed64()
        var words: [UInt64] = []
        for _ in 0..<4 { words.append(try readBigEndian64()) }
        return StateChecksum(recordCount: count, words: words)
    }
}

extension StateChecksum {
    fileprivate var words: [UInt64] { [sums[0], sums[1], sums[2], sums[3]] }

    /// Creates a checksum from a record count and exactly four sums.
    fileprivate init(recordCount: UInt64, words: [UInt64]) {
        self.init(recordCount: recordCount, sums: SIMD4(words[0], words[1], words[2], words[3]))
    }
}
