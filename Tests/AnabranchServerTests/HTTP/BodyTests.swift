import AnabranchProtocol
import AnabranchReplication
import Foundation
import Testing

@testable import AnabranchServer

@Suite(.everyStore) struct BodyTests {
    private func server(limit: Int) throws -> TestServer {
        try TestServer { $0.zones.bodyBytes = limit }
    }

    @Test func `a body that says it is too large is refused before it is read`() throws {
        let server = try server(limit: 10_000)
        let client = try RawClient(port: server.port)
        client.send(server.head("POST", "/v1/zones/test/push", body: 10_001))
        let response = try client.receiveResponse()
        #expect(response.status == 413)
        #expect(response.code == "body-too-large")
        #expect(response.text.contains("10000"))
    }

    private func chunks(_ count: Int, to server: TestServer) throws -> RawClient {
        let client = try RawClient(port: server.port)
        client.send(
            server.head(
                "POST", "/v1/zones/test/push",
                extra: [
                    "Content-Type: \(SyncProtocol.mediaType)", "Transfer-Encoding: chunked",
                ]))
        for _ in 0..<count {
            client.send("1000\r\n" + String(repeating: "a", count: 4096) + "\r\n")
        }
        return client
    }

    @Test func `a chunked body over the limit is refused at its end`() throws {
        let server = try server(limit: 10_000)
        let client = try chunks(4, to: server)
        client.send("0\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.status == 413)
        #expect(response.code == "body-too-large")
        #expect(response.text.contains(#""limit":"10000""#), "\(response.text)")
        #expect(response.headers["connection"]?.lowercased() == "close")
        #expect(client.receive().isClosed)
    }

    @Test func `a chunked body that does not end costs the connection`() throws {
        let server = try server(limit: 10_000)
        let client = try chunks(8, to: server)
        let answer = client.receive()
        #expect(answer.isClosed && answer.bytes.isEmpty)
        #expect(try server.get("/v1/health", role: nil).status == 200)
    }

    @Test func `a body has at most the memory of one request, and clients learn that`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 10_000 }
        let client = try chunks(2, to: server)
        client.send("0\r\n\r\n")
        let long = try RawClient(port: server.port)
        long.send(server.head("POST", "/v1/zones/test/push", body: 5001))
        for response in [try client.receiveResponse(), try long.receiveResponse()] {
            #expect(response.status == 413 && response.code == "body-too-large")
            #expect(response.text.contains(#""limit":"5000""#), "\(response.text)")
        }
        #expect(try server.hello().largestBody == 5000)
    }

    @Test func `a chunked body within the limit is read`() throws {
        let server = try TestServer()
        let body = PullRequest(cursor: nil, byteLimit: 10).encoded()
        let client = try RawClient(port: server.port)
        client.send(
            server.head(
                "POST", "/v1/zones/test/pull",
                extra: [
                    "Content-Type: \(SyncProtocol.mediaType)", "Transfer-Encoding: chunked",
                ]))
        for byte in body { client.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
        client.send("0\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
    }

    @Test func `a zstd body is decompressed, and a zstd answer given where it is accepted`() throws
    {
        let server = try TestServer()
        var author = TestAuthor(1)
        let sets = (0..<50).map { _ in author.insertPerson("Somebody").0.encoded() }
        let push = PushRequest(epoch: try server.hello().epoch, changeSets: sets).encoded()
        let packed = try #require(ZstdCodec.compressed(push))
        let pushed = try server.post(
            "/v1/zones/test/push", packed, extra: ["Content-Encoding: zstd"])
        #expect(try PushResponse(decoding: pushed.body).acknowledgedCount == 50)
        let pull = PullRequest(cursor: nil, byteLimit: 1 << 20).encoded()
        let pulled = try server.post(
            "/v1/zones/test/pull", pull, extra: ["Accept-Encoding: gzip;q=1.0, zstd"])
        #expect(pulled.headers["content-encoding"] == "zstd")
        let page = try PullResponse(
            decoding: try ZstdCodec.decompressed(pulled.body, limit: 1 << 20))
        #expect(page.changeSets == sets)
        let refused = try server.post(
            "/v1/zones/test/pull", pull, extra: ["Accept-Encoding: zstd;q=0"])
        #expect(refused.headers["content-encoding"] == nil)
    }

    @Test func `a zstd bomb stops at the limit`() throws {
        let server = try server(limit: 100_000)
        let bomb = try #require(ZstdCodec.compressed([UInt8](repeating: 0, count: 50 << 20)))
        #expect(bomb.count < 10_000)
        let response = try server.post(
            "/v1/zones/test/push", bomb, extra: ["Content-Encoding: zstd"])
        #expect(response.status == 413)
    }

    @Test(arguments: [[], [0x28, 0xB5, 0x2F, 0xFD], [1, 2, 3, 4, 5, 6, 7, 8]] as [[UInt8]])
    func `a body that only claims to be zstd gets 400`(body: [UInt8]) throws {
        let server = try TestServer()
        let response = try server.post(
            "/v1/zones/test/pull", body, extra: ["Content-Encoding: zstd"])
        #expect(response.status == 400)
    }

    @Test func `a zstd frame reserves little for what it only announces`() throws {
        let whole = try #require(ZstdCodec.compressed([UInt8](repeating: 7, count: 8 << 20)))
        var reserved = 0
        #expect(throws: ZstdCodec.Failure.self) {
            try ZstdCodec.decompressed(Array(whole.prefix(12)), limit: 64 << 20) {
                reserved += $0
                return true
            }
        }
        #expect(reserved < 1000)
        #expect(try ZstdCodec.decompressed(whole, limit: 8 << 20).count == 8 << 20)
    }

    @Test func `a zstd frame that is cut gets 400`() throws {
        let whole = try #require(ZstdCodec.compressed([UInt8](repeating: 7, count: 5000)))
        #expect(throws: ZstdCodec.Failure.self) {
            try ZstdCodec.decompressed(Array(whole.dropLast(3)), limit: 1 << 20)
        }
        #expect(try ZstdCodec.decompressed(whole, limit: 5000).count == 5000)
        #expect(throws: ZstdCodec.Failure.tooLarge(limit: 4999)) {
            try ZstdCodec.decompressed(whole, limit: 4999)
        }
    }
}
