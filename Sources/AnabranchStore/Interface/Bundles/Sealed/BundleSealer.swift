import CSodium

/// Seals a bundle piece by piece, with at most one chunk waiting in memory.
package struct BundleSealer: ~Copyable {
    /// The size of every chunk except the last, which may be shorter.
    package static let chunkBytes = 1 << 16

    package let header: SealedBundleHeader
    private var stream: SealStream
    private var pending: [UInt8] = []

    package init(_ keyRing: BundleKeyRing) {
        let (key, salt) = (keyRing.sealing, Self.randomSalt())
        var header = SealedBundleHeader(key: key.id, salt: salt, stream: [])
        stream = SealStream(sealingWith: key.subkey(salt: salt)) { stream in
            header = SealedBundleHeader(key: key.id, salt: salt, stream: stream)
            return header.bytes
        }
        self.header = header
    }

    private static func randomSalt() -> [UInt8] {
        var salt = [UInt8](repeating: 0, count: SealedBundleHeader.saltBytes)
        randombytes_buf(&salt, salt.count)
        return salt
    }

    /// Seals more bytes.
    ///
    /// - Returns: The sealed chunks that are full and have a successor; they follow the header.
    package mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        var sealed: [UInt8] = []
        var rest = pending[...]
        while rest.count > Self.chunkBytes {
            sealed += stream.seal(rest.prefix(Self.chunkBytes), isLast: false)
            rest = rest.dropFirst(Self.chunkBytes)
        }
        pending = Array(rest)
        return sealed
    }

    /// Ends the bundle.
    ///
    /// - Returns: The last chunk, which is marked as the end.
    package consuming func finish() -> [UInt8] { stream.seal(pending[...], isLast: true) }
}
