import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tokens that PyJWT 2 and the Python package `cryptography` have made, with the keys of one
/// provider, and forgeries of them.
struct IdentityExamples: Decodable {
    /// The public keys of RSA, P-256 and Ed25519 in PEM.
    var pem: String
    /// The tokens by the name of what is special in them.
    var tokens: [String: String]
    var RS256, ES256, EdDSA, HS256: String

    /// The JSON of an object of the file.
    private static func json(_ name: String) throws -> Data {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Golden/jwt.json")
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        guard !name.isEmpty else { return try Data(contentsOf: file) }
        return try JSONSerialization.data(
            withJSONObject: #require((object as? [String: Any])?[name]))
    }

    static func read() throws -> IdentityExamples {
        try JSONDecoder().decode(IdentityExamples.self, from: json(""))
    }

    /// The key set of the provider.
    static func keySet() throws -> Data { try json("keys") }

    /// A key set with a key of RSA that is too short.
    static func weakKeySet() throws -> Data { try json("weak") }
}

/// A provider with keys in a temporary folder, and a clock that a test sets.
struct TestProvider {
    let directory: TemporaryDirectory
    let clock = SettableClock(1_700_000_000_000)
    let provider: IdentityProvider
    var file: String { directory.file("keys") }

    init(keys: Data) throws {
        directory = try TemporaryDirectory("identity")
        let path = directory.file("keys")
        try keys.write(to: URL(filePath: path))
        let clock = clock
        provider = try IdentityProvider(
            IdentitySettings(
                issuer: "https://login.example.org", audience: "anabranch", keyFile: path),
            wallMilliseconds: { clock.milliseconds })
    }
}
