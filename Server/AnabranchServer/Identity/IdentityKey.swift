import COpenSSL
import CSodium

/// A key that verifies signatures by one algorithm, which the kind of the key decides.
struct IdentityKey: Sendable {
    /// The name of the key in the heads of tokens; `nil` if it has none.
    let name: String?
    private let material: Material

    private enum Material: Sendable {
        case secret([UInt8])
        case ed25519([UInt8])
        case rsa(PublicKey)
        case p256(PublicKey)
    }

    /// The shortest secret, because a shorter one could be guessed.
    private static let shortestSecret = 32
    private static let shortestModulusBits: Int32 = 2048

    init(name: String?, secret: [UInt8]) throws(IdentityKeyError) {
        guard secret.count >= Self.shortestSecret else {
            throw IdentityKeyError("a secret of HS256 has less than 32 bytes")
        }
        self.name = name
        material = .secret(secret)
    }

    init(name: String?, ed25519 bytes: [UInt8]) throws(IdentityKeyError) {
        guard bytes.count == Int(crypto_sign_ed25519_publickeybytes()) else {
            throw IdentityKeyError("a key of Ed25519 does not have 32 bytes")
        }
        self.name = name
        material = .ed25519(bytes)
    }

    /// Creates a key of RSA, of P-256 or of Ed25519.
    init(name: String?, _ key: PublicKey) throws(IdentityKeyError) {
        self.name = name
        material = try Self.material(of: key)
    }

    private static func material(of key: PublicKey) throws(IdentityKeyError) -> Material {
        switch EVP_PKEY_get_base_id(key.pointer) {
        case EVP_PKEY_RSA where EVP_PKEY_get_bits(key.pointer) < shortestModulusBits:
            throw IdentityKeyError("a key of RSA has less than 2048 bits")
        case EVP_PKEY_RSA: return .rsa(key)
        case EVP_PKEY_EC where copenssl_is_p256(key.pointer) == 1: return .p256(key)
        case EVP_PKEY_ED25519: return .ed25519(key.rawBytes())
        default: throw IdentityKeyError("a key is neither RSA nor P-256 nor Ed25519")
        }
    }

    /// The only algorithm by which the key verifies.
    var algorithm: SignatureAlgorithm {
        switch material {
        case .secret: .hs256
        case .ed25519: .edDSA
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// Checks a signature in the form of a token.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        switch material {
        case .secret(let secret):
            signature.count == Int(crypto_auth_hmacsha256_bytes())
                && sodium_memcmp(signature, Self.code(of: message, secret), signature.count) == 0
        case .ed25519(let key):
            signature.count == Int(crypto_sign_ed25519_bytes())
                && crypto_sign_ed25519_verify_detached(
                    signature, message, UInt64(message.count), key) == 0
        case .rsa(let key):
            copenssl_verify(
                key.pointer, signature, signature.count, message, message.count) == 1
        case .p256(let key):
            signature.count == 64
                && copenssl_verify_p256(key.pointer, signature, message, message.count) == 1
        }
    }

    private static func code(of message: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
        crypto_auth_hmacsha256_init(&state, secret, secret.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code
    }
}

/// A public key of libcrypto, which is only read after `init`.
final class PublicKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a key.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// The bytes of a key of Ed25519.
    func rawBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = bytes.count
        let isRead = EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1
        return isRead ? Array(bytes.prefix(count)) : []
    }
}

/// The reason why a key can't be used, as the end of a sentence after "because".
struct IdentityKeyError: Error, Hashable {
    let cause: String
    init(_ cause: String) { self.cause = cause }
}
