package import AnabranchProtocol
import Foundation
import Synchronization

/// Checks the tokens of an identity provider: JSON Web Tokens.
///
/// The kind of a key decides by which algorithm it verifies, not the token. Every token needs an
/// end, the issuer and the audience.
public final class IdentityProvider: Sendable {
    private struct Loaded {
        var keys: IdentityKeys
        var modified: Date?
        /// When the file was last looked at, in milliseconds.
        var looked: Int64
        /// The reason why the file can't be used now, once it was reported.
        var reported: String?
    }

    private let settings: IdentitySettings
    private let wallMilliseconds: @Sendable () -> Int64
    private let loaded: Mutex<Loaded>

    /// The least time between two looks at the file of keys.
    private static let lookMilliseconds: Int64 = 5000

    /// Reads the keys.
    ///
    /// - Parameter wallMilliseconds: The server's clock, since 1970-01-01 UTC.
    ///
    /// - Throws: ``HTTPServerError`` with the file and the reason.
    public init(
        _ settings: IdentitySettings,
        wallMilliseconds: @escaping @Sendable () -> Int64
    ) throws {
        self.settings = settings
        self.wallMilliseconds = wallMilliseconds
        // The time comes first: keys that are written after it are read again.
        let modified = Self.modified(settings.keyFile)
        loaded = Mutex(
            Loaded(
                keys: try IdentityKeys(file: settings.keyFile), modified: modified,
                looked: wallMilliseconds()))
    }

    /// Checks a token.
    ///
    /// - Parameter report: Gets the reason, once, if the file of keys has changed and can't be
    ///   used.
    /// - Throws: `unauthorized`, with the reason.
    package func grant(
        for text: String, report: (String) -> Void = { _ in }
    ) throws(ProtocolError) -> IdentityGrant {
        guard let token = JSONWebToken(text) else {
            throw Self.refusal("malformed", "it is neither a token of this server nor a JWT")
        }
        if let problem = reloadIfChanged() { report(problem) }
        try checkSignature(of: token)
        do throws(IdentityKeyError) {
            return try checkedGrant(of: token)
        } catch {
            throw Self.refusal("claims", error.cause)
        }
    }

    // MARK: The signature

    private func checkSignature(of token: JSONWebToken) throws(ProtocolError) {
        guard let algorithm = SignatureAlgorithm(rawValue: token.head.alg) else {
            throw Self.refusal(
                "algorithm", "it is not signed by HS256, RS256, ES256 or EdDSA")
        }
        guard token.head.crit == nil else {
            throw Self.refusal("malformed", "it needs extensions that this server lacks")
        }
        let candidates = keys.candidates(named: token.head.kid, for: algorithm)
        guard !candidates.isEmpty else {
            throw Self.refusal(
                "unknown-key",
                "no key of the identity provider for \(algorithm.rawValue) has its "
                    + "name")
        }
        let isSigned = candidates.contains { $0.verifies(token.signature, over: token.message) }
        guard isSigned else { throw Self.refusal("signature", "its signature is wrong") }
    }

    private var keys: IdentityKeys { loaded.withLock { $0.keys } }

    /// Reads the keys again if the file has changed, so that a new key is known and a removed one
    /// is not. A file that can't be used leaves the former keys, and is read again until it can.
    ///
    /// - Returns: The reason why the file can't be used, unless it was returned before.
    private func reloadIfChanged() -> String? {
        let now = wallMilliseconds()
        return loaded.withLock { loaded in
            // The clock may also be set back.
            guard abs(now - loaded.looked) >= Self.lookMilliseconds else { return nil }
            loaded.looked = now
            let modified = Self.modified(settings.keyFile)
            guard modified != loaded.modified else { return nil }
            do {
                loaded.keys = try IdentityKeys(file: settings.keyFile)
                (loaded.modified, loaded.reported) = (modified, nil)
                return nil
            } catch {
                let problem = "\(error)"
                defer { loaded.reported = problem }
                return problem == loaded.reported ? nil : "kept the former keys: \(problem)"
            }
        }
    }

    private static func modified(_ file: String) -> Date? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return attributes?[.modificationDate] as? Date
    }

    // MARK: The claims

    private func checkedGrant(
        of token: JSONWebToken
    ) throws(IdentityKeyError) -> IdentityGrant {
        guard token.isIssued(by: settings.issuer) else {
            throw IdentityKeyError("it is from another issuer than \(settings.issuer)")
        }
        guard token.isFor(settings.audience) else {
            throw IdentityKeyError("it is for another audience than \(settings.audience)")
        }
        let now = Double(wallMilliseconds()) / 1000
        let leeway = Double(settings.leewaySeconds)
        guard let end = try token.time("exp") else {
            throw IdentityKeyError("it has no end (\"exp\")")
        }
        guard end > now - leeway else {
            throw IdentityKeyError("it expired at \(Self.text(end))")
        }
        for claim in ["nbf", "iat"] {
            guard let start = try token.time(claim), start > now + leeway else { continue }
            throw IdentityKeyError("it is valid only from \(Self.text(start))")
        }
        guard let subject = token.text("sub"), (1...255).contains(subject.utf8.count) else {
            throw IdentityKeyError("it names no subject (\"sub\")")
        }
        return try IdentityGrant(
            subject: subject, expires: Int64(min(end, 1e15) * 1000),
            claim: token.claims[settings.claim])
    }

    private static func text(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: min(max(seconds, 0), 2e11)).formatted(.iso8601)
    }

    private static func refusal(_ reason: String, _ cause: String) -> ProtocolError {
        ProtocolError(
            .unauthorized, "The token is not accepted because \(cause): get another.",
            details: ["header": "Authorization", "reason": reason])
    }
}
