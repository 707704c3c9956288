import AnabranchProtocol
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the keys of an identity provider.
@Suite struct IdentityKeysTests {
    /// The key and the signature of RFC 8037, appendix A.4.
    @Test func `the example of RFC 8037 verifies`() throws {
        let bytes = try #require(
            Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        let key = try IdentityKey(name: nil, ed25519: bytes)
        let signature = try #require(
            Base64URL.decode(
                "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt"
                    + "9g7sVvpAr_MuM0KAg"))
        let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        #expect(key.verifies(signature, over: message))
        #expect(!key.verifies(signature, over: message + [0]))
    }

    /// The key and the code of RFC 7515, appendix A.1.
    @Test func `the example of HMAC in RFC 7515 verifies`() throws {
        let secret = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjA"
                    + "zZr1Z9CAow"))
        let key = try IdentityKey(name: nil, secret: secret)
        let message = Array(
            ("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkz"
                + "ODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ").utf8)
        let code = try #require(Base64URL.decode("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(key.verifies(code, over: message))
        #expect(!key.verifies(code.reversed(), over: message))
    }

    private func message(_ keys: Data) -> String {
        do {
            _ = try TestProvider(keys: keys)
            return ""
        } catch { return "\(error)" }
    }

    private func message(_ text: String) -> String { message(Data(text.utf8)) }

    @Test func `keys that can't be used are named`() throws {
        #expect(message("").contains("because it is neither a JSON Web Key Set nor"))
        #expect(message(#"{"keys":[]}"#).contains("because it has no public key for RS256"))
        #expect(
            message(#"{"keys":[{"kty":"oct","k":"c2hvcnQ"}]}"#).contains("less than 32 bytes"))
        #expect(
            message(#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}"#)
                .contains("a key of Ed25519 does not have 32 bytes"))
        #expect(
            message(#"{"keys":[{"kty":"RSA","n":"!!","e":"AQAB"}]}"#)
                .contains("the member \"n\" of a key is missing or malformed"))
        #expect(
            message(try IdentityExamples.weakKeySet()).contains("less than 2048 bits"))
        let zero = String(repeating: "A", count: 43)
        #expect(
            message(#"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}]}"#)
                .contains("a key of P-256 is malformed"))
        #expect(
            message("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")
                .contains("it has no public key"))
    }

    @Test func `keys of other kinds and uses are left out`() throws {
        let set = #"{"keys":[{"kty":"EC","crv":"P-521"},{"kty":"new"},{"kty":"RSA","use":"enc"}]}"#
        #expect(message(set).contains("it has no public key for"))
    }

    @Test func `a new key is read when a token names it, and a malformed file changes nothing`()
        throws
    {
        let examples = try IdentityExamples.read()
        let secret = #"{"keys":[{"kty":"oct","k":"\#(String(repeating: "A", count: 43))"}]}"#
        let test = try TestProvider(keys: Data(secret.utf8))
        func isAccepted() -> Bool { (try? test.provider.grant(for: examples.EdDSA)) != nil }
        #expect(!isAccepted())
        let file = URL(filePath: test.file)
        try Data("{".utf8).write(to: file)
        test.clock.milliseconds += 6000
        #expect(!isAccepted())
        try IdentityExamples.keySet().write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: file.path)
        #expect(!isAccepted(), "the file is looked at every five seconds")
        test.clock.milliseconds += 6000
        #expect(isAccepted())
        try Data("{".utf8).write(to: file)
        test.clock.milliseconds += 6000
        #expect((try? test.provider.grant(for: try #require(examples.tokens["unknown"]))) == nil)
        #expect(isAccepted())
    }

    @Test func `a key that was removed signs no more, without a signal`() throws {
        let examples = try IdentityExamples.read()
        let test = try TestProvider(keys: IdentityExamples.keySet())
        func isAccepted() -> Bool { (try? test.provider.grant(for: examples.EdDSA)) != nil }
        #expect(isAccepted())
        let other = #"{"keys":[{"kty":"oct","k":"\#(String(repeating: "A", count: 43))"}]}"#
        try Data(other.utf8).write(to: URL(filePath: test.file))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: test.file)
        #expect(isAccepted(), "the file is looked at every five seconds")
        test.clock.milliseconds += 6000
        #expect(!isAccepted())
        // A clock that is set back does not keep the keys.
        try IdentityExamples.keySet().write(to: URL(filePath: test.file))
        test.clock.milliseconds -= 30_000
        #expect(isAccepted())
    }
}
