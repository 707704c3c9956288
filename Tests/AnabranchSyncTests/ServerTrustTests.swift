import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of TLS with certificates of an authority that the system does not know.
@Suite(.enabled(if: TestCertificates.canBeMade, "OpenSSL's program makes the certificates"))
struct ServerTrustTests {
    private let folder: TemporaryDirectory
    private let certificates: TestCertificates
    private let container: PersistentContainer

    init() throws {
        folder = try TemporaryDirectory("trust")
        certificates = try TestCertificates()
        container = PersistentContainer(
            model: try ManagedObjectModel {
                EntityDeclaration("City") { AttributeDeclaration("name", .string) }
            },
            url: URL(filePath: folder.file("a.store")))
        try container.load()
    }

    private func options(_ change: (inout SyncOptions) -> Void = { _ in }) -> SyncOptions {
        var options = SyncOptions()
        options.retry.attempts = 1
        change(&options)
        return options
    }

    private func synchronize(
        _ server: LoopbackServer, at url: URL? = nil, _ options: SyncOptions
    ) async throws -> Bool {
        let engine = try SyncEngine(
            container: container, server: url ?? server.url, zone: "test", token: server.token,
            options: options)
        return try await engine.synchronize().isCaughtUp
    }

    private func refusal(
        _ server: LoopbackServer, at url: URL? = nil, _ options: SyncOptions
    ) async throws -> SyncError {
        let error = await #expect(throws: SyncError.self) {
            try await synchronize(server, at: url, options)
        }
        return try #require(error)
    }

    @Test func `an authority of one's own is trusted, and kept with the store`() async throws {
        let server = try LoopbackServer(tls: try certificates.issue())
        let unknown = try await refusal(server, options())
        #expect(unknown.code == .untrustedServer)
        #expect(unknown.details["reason"] == "unknown-issuer")
        #expect(unknown.details["issuer"] == "CN = Our CA")
        #expect(unknown.details["subject"] == "CN = Our server")
        #expect(unknown.message.contains("no trusted authority has issued its certificate"))
        #expect(unknown.message.contains("issued by CN = Our CA, is valid from "))
        #expect(unknown.details["validUntil"]?.hasSuffix("GMT") == true)
        let authority = certificates.authority
        #expect(try await synchronize(server, options { $0.certificateAuthorities = authority }))
        // The second engine names no file, and no server.
        let again = try SyncEngine(container: container, token: server.token, options: options())
        #expect(try await again.synchronize().isCaughtUp)
    }

    @Test func `another server is not trusted because of a kept authority`() async throws {
        let first = try LoopbackServer(tls: try certificates.issue())
        let authority = certificates.authority
        #expect(try await synchronize(first, options { $0.certificateAuthorities = authority }))
        let second = try LoopbackServer(tls: try certificates.issue())
        #expect(try await refusal(second, options()).details["reason"] == "unknown-issuer")
    }

    @Test func `an expired certificate, and one for another host, are named as such`()
        async throws
    {
        let authority = certificates.authority
        let trusting = options { $0.certificateAuthorities = authority }
        let expired = try LoopbackServer(tls: try certificates.issue(days: -1))
        let old = try await refusal(expired, trusting)
        #expect(old.code == .untrustedServer && old.details["reason"] == "expired")
        #expect(old.message.contains("because its certificate has expired."))
        let other = try LoopbackServer(tls: try certificates.issue(names: "DNS:other.example"))
        let wrong = try await refusal(other, trusting)
        #expect(wrong.code == .untrustedServer && wrong.details["reason"] == "wrong-host")
        #expect(wrong.message.contains("because its certificate is for another host."))
    }

    @Test func `only a server with a pinned key is trusted`() async throws {
        let server = try LoopbackServer(tls: try certificates.issue())
        let (authority, pin) = (certificates.authority, try certificates.pin())
        let other = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
        let refused = try await refusal(
            server,
            options {
                $0.certificateAuthorities = authority
                $0.pinnedPublicKeys = [other]
            })
        #expect(refused.code == .untrustedServer && refused.details["reason"] == "other-key")
        #expect(
            try await synchronize(
                server,
                options {
                    $0.certificateAuthorities = authority
                    $0.pinnedPublicKeys = [other, pin]
                }))
    }

    @Test func `a server uses another certificate from the reload on`() async throws {
        let server = try LoopbackServer(tls: try certificates.issue())
        let (authority, former) = (certificates.authority, try certificates.pin())
        _ = try certificates.issue()
        let (files, new) = (certificates.files, try certificates.pin())
        func isTrusted(_ pin: String) async throws -> Bool {
            let options = options {
                $0.certificateAuthorities = authority
                $0.pinnedPublicKeys = [pin]
            }
            do { return try await synchronize(server, options) } catch let error as SyncError {
                #expect(error.details["reason"] == "other-key")
                return false
            }
        }
        #expect(try await isTrusted(former))
        try server.reload(certificateFile: files.certificate, keyFile: files.key)
        #expect(try await isTrusted(new))
        #expect(try await !isTrusted(former))
    }

    @Test func `a file without authorities is named`() async throws {
        let server = try LoopbackServer(tls: try certificates.issue())
        let missing = folder.file("none.pem")
        let error = try await refusal(server, options { $0.certificateAuthorities = missing })
        #expect(error.code == .untrustedServer)
        #expect(error.details["reason"] == "unusable-authorities")
        #expect(error.message.contains("the certificate authorities in \(missing) can't be read"))
    }

    @Test func `an address with the wrong scheme is explained`() async throws {
        let server = try LoopbackServer(tls: try certificates.issue())
        let port = try #require(server.url.port)
        let plain = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let withoutTLS = try await refusal(server, at: plain, options())
        #expect(withoutTLS.code == .unreachable)
        #expect(
            withoutTLS.message.hasSuffix("If the server uses TLS, its address begins with https."))
        let open = try LoopbackServer()
        let openPort = try #require(open.url.port)
        let secure = try #require(URL(string: "https://127.0.0.1:\(openPort)"))
        let withTLS = try await refusal(open, at: secure, options())
        #expect(
            withTLS.message.hasSuffix(
                "If the server does not use TLS, its address begins with http."))
    }
}
