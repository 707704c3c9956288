/// The unencrypted header of a sealed bundle.
///
/// A sealed bundle is a bundle, byte for byte, in consecutive encrypted chunks under a key of its
/// own. The header is authenticated with each chunk. Byte for byte: `Documentation/FileFormat.md`.
package struct SealedBundleHeader: Hashable, Sendable {
    /// The magic bytes of a bundle, with another letter.
    package static let magic: [UInt8] = [0x89, 0x41, 0x62, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]
    package static let version: UInt8 = 1
    package static let saltBytes = 32
    static let streamBytes = 24
    package static let byteCount = magic.count + 1 + BundleKeyID.byteCount + saltBytes + streamBytes

    /// The ID of the ring's key from which the bundle's own key is derived.
    package let key: BundleKeyID
    package let salt: [UInt8]
    /// Libsodium's stream header, which is random too.
    let stream: [UInt8]

    package var bytes: [UInt8] { Self.magic + [Self.version] + key.bytes + salt + stream }

    init(key: BundleKeyID, salt: [UInt8], stream: [UInt8]) {
        self.key = key
        self.salt = salt
        self.stream = stream
    }

    /// Decodes a header.
    ///
    /// - Parameter bytes: Exactly one header of this version; any other count gives `nil`.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes.dropFirst(Self.magic.count + 1)
        guard bytes.count == Self.byteCount,
            let key = BundleKeyID(bytes: rest.prefix(BundleKeyID.byteCount))
        else { return nil }
        rest = rest.dropFirst(BundleKeyID.byteCount)
        self.init(
            key: key, salt: Array(rest.prefix(Self.saltBytes)),
            stream: Array(rest.dropFirst(Self.saltBytes)))
    }
}
