import CSodium

/// A BLAKE2b-256 digest.
///
/// Source: Aumasson et al., RFC 7693; computed by libsodium's `crypto_generichash`.
package struct Digest: Hashable, Sendable {
    /// The 32 bytes as four big-endian numbers.
    let words: (UInt64, UInt64, UInt64, UInt64)

    package static let byteCount = 32
    /// The digest of nothing: the previous origin of a replica's first change set.
    package static let zero = Digest(words: (0, 0, 0, 0))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Creates a digest from its bytes.
    ///
    /// - Parameter bytes: Exactly 32 bytes; the result is `nil` for any other number.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        let all = Array(bytes)
        self.init(
            words: (
                all[0..<8].bigEndianNumber, all[8..<16].bigEndianNumber,
                all[16..<24].bigEndianNumber, all[24..<32].bigEndianNumber
            ))
    }

    /// Creates a digest from the 32 bytes that a closure writes.
    private init(_ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { out in
            if let start = out.bindMemory(to: UInt8.self).baseAddress { write(start) }
        }
        self.init(
            words: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian))
    }

    package init(of bytes: [UInt8]) {
        self.init { crypto_generichash($0, Self.byteCount, bytes, UInt64(bytes.count), nil, 0) }
    }

    /// Computes the digest of two arrays, one after the other, without joining them.
    init(of first: [UInt8], _ second: [UInt8]) {
        self.init {
            csodium_hash_both(
                $0, Self.byteCount, first, UInt64(first.count), second, UInt64(second.count))
        }
    }

    /// Computes the digest of two digests, one after the other.
    init(of first: Digest, _ second: Digest) {
        self = withUnsafeBytes(of: (first.bigEndianWords, second.bigEndianWords)) { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            return Digest {
                crypto_generichash(
                    $0, Self.byteCount, bytes.baseAddress, UInt64(bytes.count), nil, 0)
            }
        }
    }

    /// Computes the digest of a part of an array, without copying it.
    package init(of bytes: ArraySlice<UInt8>) {
        var builder = DigestBuilder()
        builder.update(bytes)
        self = builder.finish()
    }

    /// Computes the digest of everything that a writer contains, without copying its large values.
    package init(of writer: ByteWriter) {
        guard !writer.large.isEmpty else {
            self.init(of: writer.storage)
            return
        }
        var builder = DigestBuilder()
        writer.forEachPiece { builder.update($0) }
        self = builder.finish()
    }

    package var bytes: [UInt8] { withBytes { Array($0) } }

    /// Calls a closure with the 32 bytes, which are valid only during the call.
    package func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBytes(of: bigEndianWords, body)
    }

    private var bigEndianWords: (UInt64, UInt64, UInt64, UInt64) {
        (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    }

    /// The first eight bytes as a big-endian number.
    package var prefix: UInt64 { words.0 }

    /// Compares all 32 bytes.
    package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    /// Hashes the first eight bytes, which are evenly distributed.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest: CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package var description: String { bytes.hexadecimal }
}

/// Computes the digest of bytes that come piece by piece.
package struct DigestBuilder: ~Copyable {
    private let state: UnsafeMutableRawPointer

    /// Begins the digest of an empty sequence of bytes.
    package init() {
        state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
        crypto_generichash_init(pointer, nil, 0, Digest.byteCount)
    }

    deinit { state.deallocate() }

    private var pointer: OpaquePointer { OpaquePointer(state) }

    package mutating func update(_ bytes: [UInt8]) {
        crypto_generichash_update(pointer, bytes, UInt64(bytes.count))
    }

    /// Adds the next bytes from memory that the caller keeps valid during the call.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        crypto_generichash_update(pointer, start, UInt64(bytes.count))
    }

    /// Adds the next bytes from a part of an array.
    package mutating func update(_ bytes: ArraySlice<UInt8>) {
        let state = pointer
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            crypto_generichash_update(state, start, UInt64(bytes.count))
        }
    }

    /// Adds the 32 bytes of another digest.
    package mutating func update(_ digest: Digest) { update(digest.bytes) }

    /// Returns the digest of all bytes that were added.
    package consuming func finish() -> Digest {
        var bytes = [UInt8](repeating: 0, count: Digest.byteCount)
        crypto_generichash_final(pointer, &bytes, bytes.count)
        return Digest(bytes: bytes) ?? .zero
    }
}
