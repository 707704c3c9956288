import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of clients that identify themselves by certificates.
@Suite(.enabled(if: TestCertificates.canBeMade, "OpenSSL's program makes the certificates"))
struct ClientCertificateTests {
    private let folder: TemporaryDirectory
    private let certificates: TestCertificates
    private let server: LoopbackServer
    private let container: PersistentContainer

    init() throws {
        folder = try TemporaryDirectory("client-certificates")
        certificates = try TestCertificates()
        server = try LoopbackServer(
            tls: try certificates.issue(),
            clientAuthorities: try String(
                contentsOfFile: certificates.authority, encoding: .utf8))
        container = PersistentContainer(
            model: try ManagedObjectModel {
                EntityDeclaration("City") { AttributeDeclaration("name", .string) }
            },
            url: URL(filePath: folder.file("a.store")))
        try container.load()
    }

    private func synchronize(
        _ client: ClientCertificate?, naming isNaming: Bool = true
    ) async throws -> Bool {
        var options = SyncOptions()
        options.retry.attempts = 1
        options.certificateAuthorities = isNaming ? certificates.authority : nil
        options.clientCertificate = client
        let engine = try SyncEngine(
            container: container, server: isNaming ? server.url : nil,
            zone: isNaming ? "test" : nil, token: server.token, options: options)
        return try await engine.synchronize().isCaughtUp
    }

    private func refusal(_ client: ClientCertificate?) async throws -> SyncError {
        let error = await #expect(throws: SyncError.self) { try await synchronize(client) }
        return try #require(error)
    }

    /// Copies the files that an authority issued last.
    private func client(
        _ certificates: TestCertificates, _ name: String
    ) throws -> ClientCertificate {
        let files = (folder.file("\(name).pem"), folder.file("\(name).key"))
        try FileManager.default.copyItem(atPath: certificates.files.certificate, toPath: files.0)
        try FileManager.default.copyItem(atPath: certificates.files.key, toPath: files.1)
        return ClientCertificate(certificateFile: files.0, keyFile: files.1)
    }

    @Test func `a client without a certificate is refused`() async throws {
        let error = try await refusal(nil)
        #expect(error.code == .unauthorized)
        #expect(error.details["certificate"] == "client")
        #expect(error.message.contains("its TLS certificate is not accepted: it has none."))
    }

    @Test func `a certificate of the authority is accepted, and kept with the store`()
        async throws
    {
        _ = try certificates.issue()
        let client = try client(certificates, "client")
        #expect(try await synchronize(client))
        // The second engine names no file, and no server.
        #expect(try await synchronize(nil, naming: false))
    }

    @Test func `certificates of another authority, and expired ones, are refused`() async throws {
        let others = try TestCertificates()
        _ = try others.issue()
        let foreign = try await refusal(try client(others, "foreign"))
        #expect(foreign.code == .unauthorized)
        #expect(foreign.message.contains("its TLS certificate is not accepted: "))
        _ = try certificates.issue(days: -1)
        let expired = try await refusal(try client(certificates, "expired"))
        #expect(expired.code == .unauthorized)
        #expect(expired.message.contains("expired"))
    }

    @Test func `files that can't be used are named`() async throws {
        let missing = ClientCertificate(
            certificateFile: folder.file("none.pem"), keyFile: folder.file("none.key"))
        let error = try await refusal(missing)
        #expect(error.code == .unusableCertificate)
        #expect(error.message.contains(missing.certificateFile))
    }
}
