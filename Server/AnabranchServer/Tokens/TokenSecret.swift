import AnabranchReplication
import CSodium

/// The secret of a token: 32 random bytes, written as `abt_` and 43 characters.
///
/// A random value of this length needs no salt and no slow hash: it cannot be guessed from its
/// digest.
public struct TokenSecret: Sendable {
    static let byteCount = 32
    static let prefix = "abt_"

    private let bytes: [UInt8]

    /// Creates a secret from 32 random bytes; `nil` for any other number.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Parses a secret as a client sends it.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let bytes = Base64URL.decode(text.dropFirst(Self.prefix.count)),
            bytes.count == Self.byteCount
        else { return nil }
        self.bytes = bytes
    }

    /// The secret as text, to be shown once.
    public var text: String {
        var text = [CChar](repeating: 0, count: 44)
        sodium_bin2base64(
            &text, text.count, bytes, bytes.count,
            Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING))
        return Self.prefix
            + String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The stored digest of the secret.
    var hash: Digest { Digest(of: bytes) }

    /// Compares two hashes in constant time.
    static func isSame(_ left: Digest, _ right: Digest) -> Bool {
        sodium_memcmp(left.bytes, right.bytes, Digest.byteCount) == 0
    }
}
