import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of JSON Web Tokens: which are accepted, and which are refused for which reason.
@Suite struct IdentityProviderTests {
    private let examples: IdentityExamples
    private let known: TestProvider

    init() throws {
        examples = try IdentityExamples.read()
        known = try TestProvider(keys: IdentityExamples.keySet())
    }

    private func token(_ name: String) throws -> String {
        try #require(examples.tokens[name], "\(name)")
    }

    /// The reason and the message of a refusal; `nil` if the token is accepted.
    private func refusal(
        _ text: String, _ provider: IdentityProvider? = nil
    ) -> (reason: String, message: String)? {
        do throws(ProtocolError) {
            _ = try (provider ?? known.provider).grant(for: text)
            return nil
        } catch {
            #expect(error.code == .unauthorized)
            return (error.details["reason"] ?? "", error.message)
        }
    }

    private var accepted: [String] {
        [examples.RS256, examples.ES256, examples.EdDSA, examples.HS256]
    }

    @Test func `each algorithm is accepted, with the rights of the claim`() throws {
        for text in accepted {
            let grant = try known.provider.grant(for: text)
            #expect(grant.subject == "ada")
            #expect(grant.expires == 4_000_000_000_000)
            #expect(grant.role(in: try ZoneName("test")) == .write)
            #expect(grant.role(in: try ZoneName("team-a")) == .write)
            #expect(grant.role(in: try ZoneName("other")) == nil)
        }
    }

    @Test func `public keys in PEM need no names`() throws {
        let provider = try TestProvider(keys: Data(examples.pem.utf8)).provider
        for text in accepted.dropLast() { #expect(refusal(text, provider) == nil) }
        #expect(refusal(examples.HS256, provider)?.reason == "unknown-key")
        #expect(refusal(try token("withoutName"), provider) == nil)
        #expect(refusal(try token("withoutName")) == nil, "the key set has names")
    }

    @Test(arguments: [
        ("none", "algorithm"), ("NONE", "algorithm"), ("RS512", "algorithm"),
        ("confusion", "unknown-key"), ("confusionWithoutName", "signature"),
        ("otherKind", "unknown-key"), ("unknown", "unknown-key"), ("jwk", "unknown-key"),
        ("forged", "signature"), ("forgedRSA", "signature"), ("forgedEC", "signature"),
        ("critical", "malformed"),
    ])
    func `a forged token is refused`(name: String, reason: String) throws {
        #expect(refusal(try token(name))?.reason == reason)
    }

    /// The public key in PEM, which everyone has, must not serve as a secret of HS256.
    @Test func `a public key is no secret`() throws {
        let provider = try TestProvider(keys: Data(examples.pem.utf8)).provider
        #expect(refusal(try token("confusion"), provider)?.reason == "unknown-key")
        #expect(refusal(try token("confusionWithoutName"), provider)?.reason == "unknown-key")
    }

    @Test(arguments: [
        ("expired", "it expired at 2020-09-13T12:26:40Z"), ("noEnd", "it has no end"),
        ("textEnd", "\"exp\" is not a number"), ("flagEnd", "\"exp\" is not a number"),
        ("future", "it is valid only from 2093"), ("issuer", "it is from another issuer than"),
        ("noIssuer", "it is from another issuer than"),
        ("audience", "it is for another audience than anabranch"),
        ("noAudience", "it is for another audience than"), ("noSubject", "it names no subject"),
        ("badRole", "its claim of zones is not an object"),
    ])
    func `claims that do not suffice are named`(name: String, message: String) throws {
        let found = try #require(self.refusal(try token(name)))
        #expect(found.reason == "claims")
        #expect(found.message.contains(message), "\(found.message)")
    }

    @Test func `several audiences, one object and the leeway of the clock are accepted`() throws {
        #expect(refusal(try token("audiences")) == nil)
        #expect(refusal(try token("leeway")) == nil)
        known.clock.milliseconds += 31_000
        #expect(refusal(try token("leeway"))?.reason == "claims")
        let reader = try known.provider.grant(for: token("reader"))
        #expect(reader.role(in: try ZoneName("test")) == .read)
        let none = try known.provider.grant(for: token("noRights"))
        #expect(none.role(in: try ZoneName("test")) == nil)
    }

    @Test func `a token with one other character is refused`() throws {
        for text in accepted {
            for index in text.indices {
                let other: Character = text[index] == "A" ? "B" : "A"
                var changed = text
                changed.replaceSubrange(index...index, with: [other])
                #expect(
                    refusal(changed) != nil, "at \(text.distance(from: text.startIndex, to: index))"
                )
            }
        }
    }

    @Test func `an issuer and an audience of other bytes are others`() throws {
        func encoded(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        }
        let claims = encoded(#"{"iss":"caf\u00e9","aud":["a","caf\u00e9"]}"#)
        let token = try #require(
            JSONWebToken("\(encoded(#"{"alg":"HS256"}"#)).\(claims).AAAA"))
        let (same, other) = ("caf\u{e9}", "cafe\u{301}")
        try #require(same == other, "Swift's comparison of texts takes them for one")
        #expect(token.isIssued(by: same) && token.isFor(same) && token.isFor("a"))
        #expect(!token.isIssued(by: other) && !token.isFor(other) && !token.isFor("b"))
    }

    @Test func `malformed tokens are refused`() {
        let wrong = [
            "", ".", "..", "...", "a.b.c", examples.EdDSA + ".", "." + examples.EdDSA,
            String(examples.EdDSA.dropLast()), examples.EdDSA + "=", examples.EdDSA + "\n",
            String(repeating: "a", count: 9000) + ".a.a", "e30.e30.e30", "bnVsbA.bnVsbA.bnVsbA",
        ]
        for text in wrong { #expect(refusal(text)?.reason == "malformed", "\(text)") }
    }

    @Test func `random changes never pass`() throws {
        var random = SeededGenerator(seed: 31)
        let sources = accepted.map { Array($0.utf8) }
        for _ in 0..<3000 {
            var bytes = sources[Int.random(in: 0..<4, using: &random)]
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(.random(in: 32...126, using: &random), at: place)
                default: bytes[place] = .random(in: 1...255, using: &random)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard !accepted.contains(text) else { continue }
            #expect(refusal(text) != nil, "\(text)")
        }
    }
}
