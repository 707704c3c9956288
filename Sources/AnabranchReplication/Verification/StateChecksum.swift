/// What tells whether two replicas have the same merged state, or the same part of it, without
/// either showing it: a sum over digests.
///
/// The parts of a state are its records, each without its links, and its links. Each part's
/// digest, BLAKE2b-256 over its canonical bytes, is read as four 64-bit numbers, and each of the
/// four is summed modulo 2^64. So the order does not matter, what was added can be taken away
/// again, and whoever changes one part of a state of millions keeps the sum up to date at the
/// price of that part. A link is a part of its own so that one more link of a record with many
/// costs no more than the first.
///
/// It tells of mistakes and of damage, not of intent: who may write may write what is wrong.
///
/// Source: Bellare and Micciancio, "A New Paradigm for Collision-Free Hashing: Incrementality at
/// Reduced Cost", EUROCRYPT 1997 (AdHash).
public struct StateChecksum: Hashable, Sendable {
    /// Records, the dead ones among them, modulo 2^64.
    public private(set) var recordCount: UInt64
    private var sums: SIMD4<UInt64>

    public static let zero = StateChecksum(recordCount: 0, sums: .zero)

    private init(recordCount: UInt64, sums: SIMD4<UInt64>) {
        self.recordCount = recordCount
        self.sums = sums
    }

    // MARK: - Sums

    public static func &+ (left: StateChecksum, right: StateChecksum) -> StateChecksum {
        StateChecksum(
            recordCount: left.recordCount &+ right.recordCount, sums: left.sums &+ right.sums)
    }

    public static func &- (left: StateChecksum, right: StateChecksum) -> StateChecksum {
        StateChecksum(
            recordCount: left.recordCount &- right.recordCount, sums: left.sums &- right.sums)
    }

    // MARK: - Parts

    /// A record with all its links.
    public init(of record: CanonicalRecord) {
        self.init(ofRow: record.written(links: []))
        for link in record.links { self = self &+ StateChecksum(of: link, from: record.id) }
    }

    /// A record without its links.
    ///
    /// - Parameter bytes: As ``CanonicalRecord/encoded()`` gives them of a record without links.
    public init(ofRow bytes: [UInt8]) { self.init(ofRow: ByteWriter(bytes)) }

    /// The same, without a copy of what is large.
    public init(ofRow bytes: ByteWriter) { self.init(recordCount: 1, of: bytes) }

    /// A link: the canonical bytes of a record that has its left end's identity, no entity, no
    /// cell and only this link.
    public init(of link: CanonicalRecord.Link, from left: RecordID) {
        let bare = CanonicalRecord(id: left, entity: "", links: [link])
        self.init(recordCount: 0, of: bare.written())
    }

    private init(recordCount: UInt64, of bytes: ByteWriter) {
        let words = Digest(of: bytes).words
        self.init(
            recordCount: recordCount, sums: SIMD4(words.0, words.1, words.2, words.3))
    }

    // MARK: - Bytes

    /// The record count, then the four sums.
    public static let byteCount = 40

    /// - Parameter bytes: As ``bytes``; any other count of them gives `nil`.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var reader = ByteReader(Array(bytes))
        guard let checksum = try? reader.readChecksum() else { return nil }
        self = checksum
    }

    public var bytes: [UInt8] {
        var writer = ByteWriter(reservingCapacity: Self.byteCount)
        writer.append(checksum: self)
        return writer.bytes
    }
}

extension StateChecksum: CustomStringConvertible {
    /// The four sums in 64 lower-case hexadecimal digits.
    public var description: String { bytes.dropFirst(8).hexadecimal }
}

extension ByteWriter {
    /// The record count little-endian, then the sums as the bytes of digests are read.
    public mutating func append(checksum: StateChecksum) {
        append(fixed64: checksum.recordCount)
        for word in checksum.words { append(bigEndian64: word) }
    }
}

extension ByteReader {
    public mutating func readChecksum() throws(ChangeSetDecodingError) -> StateChecksum {
        let count = try readFixed64()
        var words: [UInt64] = []
        for _ in 0..<4 { words.append(try readBigEndian64()) }
        return StateChecksum(recordCount: count, words: words)
    }
}

extension StateChecksum {
    fileprivate var words: [UInt64] { [sums[0], sums[1], sums[2], sums[3]] }

    /// - Parameter words: Four.
    fileprivate init(recordCount: UInt64, words: [UInt64]) {
        self.init(
            recordCount: recordCount, sums: SIMD4(words[0], words[1], words[2], words[3]))
    }
}
