import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of requests with tokens of an identity provider.
@Suite struct IdentityAccessTests {
    private func status(
        _ server: TestServer, _ zone: String, _ token: String, push: Bool = false
    ) throws -> Int {
        let client = try RawClient(port: server.port)
        let extra = ["Authorization: Bearer \(token)"]
        client.send(
            push
                ? server.head("POST", "/v1/zones/\(zone)/push", role: nil, body: 0, extra: extra)
                : server.head("GET", "/v1/zones/\(zone)", role: nil, extra: extra))
        return try client.receiveResponse().status
    }

    @Test func `zones and roles are those of the claim, and the log names the subject`() throws {
        let examples = try IdentityExamples.read()
        let test = try TestProvider(keys: IdentityExamples.keySet())
        let server = try TestServer { $0.identity = test.provider }
        #expect(try status(server, "test", examples.EdDSA) == 200)
        #expect(try status(server, "other", examples.EdDSA) == 403)
        #expect(try status(server, "team-a", examples.EdDSA) == 404)
        let reader = try #require(examples.tokens["reader"])
        #expect(try status(server, "test", reader, push: true) == 403)
        #expect(try status(server, "test", try #require(examples.tokens["forged"])) == 401)
        #expect(try status(server, "test", try #require(server.tokens[.read])) == 200)
        let line = try #require(server.log.waitFor("\"subject\":\"ada\""))
        #expect(line.contains("\"address\":\"127.0.0.1\""))
        for line in server.log.all {
            #expect(!line.contains(examples.EdDSA.suffix(20)))
        }
    }

    @Test func `keys that can't be used are reported once and leave the former ones`() throws {
        let examples = try IdentityExamples.read()
        let test = try TestProvider(keys: IdentityExamples.keySet())
        let server = try TestServer { $0.identity = test.provider }
        func reports() -> Int {
            server.log.all.count { $0.contains("kept the former keys: Can't use the keys in") }
        }
        for broken in [Data("{".utf8), nil] {
            if let broken {
                try broken.write(to: URL(filePath: test.file))
            } else {
                try FileManager.default.removeItem(atPath: test.file)
            }
            for _ in 0..<2 {
                test.clock.milliseconds += 6000
                #expect(try status(server, "test", examples.EdDSA) == 200)
            }
        }
        _ = try #require(server.log.waitFor("No such file"))
        #expect(reports() == 2)
    }

    @Test func `without a provider such a token is unknown`() throws {
        let server = try TestServer()
        #expect(try status(server, "test", try IdentityExamples.read().EdDSA) == 401)
    }
}
