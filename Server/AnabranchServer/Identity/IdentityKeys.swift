import COpenSSL
import Foundation

/// The keys of an identity provider.
struct IdentityKeys: Sendable {
    private let keys: [IdentityKey]

    private static let largestFile = 1 << 20
    private static let mostKeys = 100

    /// Reads a JSON Web Key Set, or public keys in PEM.
    ///
    /// - Throws: ``HTTPServerError`` with the file and the reason.
    init(file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Self.error(file, String(cString: strerror(errno)))
        }
        guard data.count <= Self.largestFile else {
            throw Self.error(file, "it is larger than \(Self.largestFile) bytes")
        }
        do throws(IdentityKeyError) {
            let isPEM = data.firstRange(of: Data("-----BEGIN".utf8)) != nil
            keys = isPEM ? try Self.keys(pem: Array(data)) : try Self.keys(set: data)
            guard !keys.isEmpty else {
                throw IdentityKeyError("it has no public key for RS256, ES256, EdDSA or HS256")
            }
            guard keys.count <= Self.mostKeys else {
                throw IdentityKeyError("it has more than \(Self.mostKeys) keys")
            }
        } catch {
            throw Self.error(file, error.cause)
        }
    }

    /// The keys that may have signed a token.
    ///
    /// - Parameter name: The name of the key in the token's head; `nil` if it has none. A key
    ///   without a name is tried for each token.
    func candidates(named name: String?, for algorithm: SignatureAlgorithm) -> [IdentityKey] {
        keys.filter { key in
            key.algorithm == algorithm && (name == nil || key.name == nil || key.name == name)
        }
    }

    private static func error(_ file: String, _ cause: String) -> HTTPServerError {
        HTTPServerError("Can't use the keys in \(file) because \(cause).")
    }

    // MARK: PEM

    private static func keys(pem: [UInt8]) throws(IdentityKeyError) -> [IdentityKey] {
        guard let source = BIO_new_mem_buf(pem, Int32(pem.count)) else { return [] }
        defer { BIO_free(source) }
        var keys: [IdentityKey] = []
        while let key = copenssl_read_public_key(source) {
            keys.append(try IdentityKey(name: nil, PublicKey(key)))
        }
        return keys
    }

    // MARK: JSON Web Key Set

    private struct KeySet: Decodable { var keys: [Key] }

    /// A key as RFC 7517 and RFC 8037 define it.
    private struct Key: Decodable {
        var kty: String
        var kid, alg, use, crv, n, e, x, y, k: String?
    }

    private static func keys(set: Data) throws(IdentityKeyError) -> [IdentityKey] {
        guard let found = try? JSONDecoder().decode(KeySet.self, from: set) else {
            throw IdentityKeyError("it is neither a JSON Web Key Set nor has it a key in PEM")
        }
        var keys: [IdentityKey] = []
        for each in found.keys where each.use ?? "sig" == "sig" {
            guard let key = try key(each) else { continue }
            guard each.alg == nil || each.alg == key.algorithm.rawValue else {
                // It signs by another algorithm, such as RS512.
                continue
            }
            keys.append(key)
        }
        return keys
    }

    /// A key of a set; `nil` if it is of a kind that signs no accepted token.
    private static func key(_ key: Key) throws(IdentityKeyError) -> IdentityKey? {
        switch (key.kty, key.crv) {
        case ("oct", _):
            return try IdentityKey(name: key.kid, secret: bytes(key.k, "k"))
        case ("OKP", "Ed25519"):
            return try IdentityKey(name: key.kid, ed25519: bytes(key.x, "x"))
        case ("RSA", _):
            let (n, e) = (try bytes(key.n, "n"), try bytes(key.e, "e"))
            let made = copenssl_rsa_key(n, Int32(n.count), e, Int32(e.count))
            return try IdentityKey(name: key.kid, publicKey(made, "RSA"))
        case ("EC", "P-256"):
            let (x, y) = (try bytes(key.x, "x"), try bytes(key.y, "y"))
            guard x.count == 32, y.count == 32 else {
                throw IdentityKeyError("the coordinates of a key of P-256 do not have 32 bytes")
            }
            return try IdentityKey(name: key.kid, publicKey(copenssl_p256_key(x, y), "P-256"))
        default: return nil
        }
    }

    private static func bytes(
        _ text: String?, _ member: String
    ) throws(IdentityKeyError) -> [UInt8] {
        guard let bytes = text.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else {
            throw IdentityKeyError("the member \"\(member)\" of a key is missing or malformed")
        }
        return bytes
    }

    private static func publicKey(
        _ pointer: OpaquePointer?, _ kind: String
    ) throws(IdentityKeyError) -> PublicKey {
        guard let pointer else { throw IdentityKeyError("a key of \(kind) is malformed") }
        return PublicKey(pointer)
    }
}
