import AnabranchReplication
import CSodium

/// The secret of a token: 32 random bytes, written `abt_` and 43 characters.
///
/// So much randomness needs no salt and no slow hash: a plain digest of it cannot be turned back.
public struct TokenSecret: Sendable {
    static let byteCount = 32
    static let prefix = "abt_"

    private let bytes: [UInt8]

    /// - Parameter bytes: 32 random ones; any other count gives `nil`.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads a token as a client sends it.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count == Self.prefix.utf8.count + 43 else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var count = 0
        let status = sodium_base642bin(
            &bytes, bytes.count, String(text.dropFirst(Self.prefix.utf8.count)), 43, nil, &count,
            nil, Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING))
        guard status == 0, count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// To be shown once.
    public var text: String {
        var text = [CChar](repeating: 0, count: 44)
        sodium_bin2base64(
            &text, text.count, bytes, bytes.count,
            Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING))
        return Self.prefix
            + String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What is stored of it.
    var hash: Digest { Digest(of: bytes) }

    /// Compares in a time that does not tell how far two hashes agree.
    static func isSame(_ left: Digest, _ right: Digest) -> Bool {
        sodium_memcmp(left.bytes, right.bytes, Digest.byteCount) == 0
    }
}
