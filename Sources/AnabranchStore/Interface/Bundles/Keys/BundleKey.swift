import CSodium

/// A key of a key ring. It encrypts nothing itself: each bundle has a subkey of its own.
struct BundleKey: Sendable {
    static let byteCount = 32
    /// The latest date that has a text with a four-digit year: 9999-12-31.
    static let greatestSeconds: Int64 = 253_402_300_799

    let id: BundleKeyID
    /// The key's creation time in seconds since 1970-01-01 UTC.
    let seconds: Int64
    let secret: SecretBytes

    /// Creates a key and derives its ID.
    ///
    /// - Parameter secret: 32 bytes.
    init(secret: SecretBytes, seconds: Int64) {
        precondition(secret.count == Self.byteCount, "a key has 32 bytes")
        self.secret = secret
        let seconds = min(max(seconds, 0), Self.greatestSeconds)
        self.seconds = seconds
        id = Self.id(of: secret, madeAt: seconds)
    }

    /// Derives the key that encrypts one bundle.
    ///
    /// Subkeys of different salts are independent. So copies of a store that seal bundles at the
    /// same point of their histories never use one key twice.
    ///
    /// - Parameter salt: The bundle's salt, from a source of randomness.
    func subkey(salt: [UInt8]) -> SecretBytes {
        let count = crypto_secretstream_xchacha20poly1305_keybytes()
        return SecretBytes(count: count) { out in
            Self.digest(salt, keyedBy: secret, for: "anabranch.bundle", into: out, count)
        }
    }

    private static func id(of secret: SecretBytes, madeAt seconds: Int64) -> BundleKeyID {
        let date = withUnsafeBytes(of: seconds.bigEndian) { Array($0) }
        var bytes = [UInt8](repeating: 0, count: BundleKeyID.byteCount)
        digest(date, keyedBy: secret, for: "anabranch.key-id", into: &bytes, bytes.count)
        guard let id = BundleKeyID(bytes: bytes) else {
            preconditionFailure("an ID is as long as the digest that it is")
        }
        return id
    }

    /// Computes a keyed and personalised BLAKE2b digest of `count` bytes.
    ///
    /// - Parameter purpose: 16 bytes that separate the digests of one purpose from all others.
    ///
    /// Source: Aumasson et al., RFC 7693; the personalisation is in "BLAKE2: simpler, smaller, fast
    /// as MD5", 2013.
    private static func digest(
        _ message: [UInt8], keyedBy key: SecretBytes, for purpose: String,
        into out: UnsafeMutablePointer<UInt8>, _ count: Int
    ) {
        let purpose = Array(purpose.utf8)
        precondition(
            purpose.count == crypto_generichash_blake2b_personalbytes(),
            "a purpose has 16 bytes")
        let status = key.withUnsafeBytes { key in
            crypto_generichash_blake2b_salt_personal(
                out, count, message, UInt64(message.count), key, byteCount, nil, purpose)
        }
        precondition(status == 0, "libsodium takes keys and digests of these lengths")
    }
}
