import AnabranchProtocol
import Foundation
import Testing

@testable import AnabranchServer

/// Tests that requests which two parsers could read differently are refused.
@Suite(.everyStore) struct MalformedRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let request: String
        let statuses: Set<Int>
        /// Whether closing the connection without an answer is right too.
        var mayClose = false

        var testDescription: String { name }
    }

    static let health = "GET /v1/health HTTP/1.1\r\n"
    static let post = "POST /v1/zones/test/hello HTTP/1.1\r\nHost: a\r\n"

    static let cases = [
        Case(
            name: "two different lengths",
            request: post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", statuses: [400]),
        Case(
            name: "the same length twice",
            request: post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", statuses: [400]),
        Case(
            name: "length and transfer encoding",
            request: post
                + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            statuses: [400]),
        Case(
            name: "two hosts", request: health + "Host: a\r\nHost: b\r\n\r\n", statuses: [400]),
        Case(name: "no host", request: health + "\r\n", statuses: [400]),
        Case(
            name: "space before the colon", request: health + "Host: a\r\nX-A : b\r\n\r\n",
            statuses: [400]),
        Case(
            name: "space in a name", request: health + "Host: a\r\nX A: b\r\n\r\n",
            statuses: [400]),
        Case(
            name: "control byte in a name", request: health + "Host: a\r\nX\u{7F}A: b\r\n\r\n",
            statuses: [400]),
        Case(
            name: "transfer encoding that is not chunked",
            request: post + "Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            statuses: [400], mayClose: true),
        Case(
            name: "negative length", request: post + "Content-Length: -3\r\n\r\nabc",
            statuses: [400]),
        Case(
            name: "length with a sign", request: post + "Content-Length: +3\r\n\r\nabc",
            statuses: [400]),
        Case(
            name: "chunk that is no number",
            request: post + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
            statuses: [400, 401], mayClose: true),
        Case(
            name: "folded first line", request: "GET /v1/health HTTP/1.1\r\n Host: a\r\n\r\n",
            statuses: [400]),
        Case(
            name: "a path of 40,000 bytes",
            request: "GET /" + String(repeating: "a", count: 40_000)
                + " HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [414, 431]),
        Case(
            name: "headers of 100,000 bytes",
            request: health + "Host: a\r\nX-A: " + String(repeating: "a", count: 100_000)
                + "\r\n\r\n", statuses: [431]),
        Case(
            name: "another version", request: "GET /v1/health HTTP/9.9\r\nHost: a\r\n\r\n",
            statuses: [400, 505]),
        Case(
            name: "no version", request: "GET /v1/health\r\nHost: a\r\n\r\n", statuses: [400],
            mayClose: true),
        Case(
            name: "garbage", request: "\u{1}\u{2}\u{3}garbage\r\n\r\n", statuses: [400],
            mayClose: true),
        Case(
            name: "NUL in the path", request: "GET /v1/health\0/x HTTP/1.1\r\nHost: a\r\n\r\n",
            statuses: [400], mayClose: true),
        Case(
            name: "escaped NUL in the path",
            request: "GET /v1/health%00/x HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400]),
        Case(
            name: "escaped NUL in the query",
            request: "GET /v1/health?a=%00 HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400]),
        Case(
            name: "a path that is a URL",
            request: "GET http://a/v1/health HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400]),
        Case(
            name: "two authorizations",
            request: "GET /v1/zones/test HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n"
                + "Authorization: Bearer b\r\n\r\n", statuses: [400]),
    ]

    @Test(arguments: cases)
    func `a malformed request is refused and what follows it is not read`(
        one: Case
    ) throws {
        let server = try TestServer()
        let client = try RawClient(port: server.port)
        client.send(one.request)
        client.send("GET /v1/health HTTP/1.1\r\nHost: smuggled\r\n\r\n")
        let (bytes, isClosed) = client.receive()
        #expect(isClosed, "the connection stays open")
        guard !bytes.isEmpty else {
            #expect(one.mayClose, "closed without an answer")
            return
        }
        let response = try #require(RawResponse(bytes))
        #expect(one.statuses.contains(response.status), "status \(response.status)")
        // The library sends the headers of its own refusals twice. The request after them must not
        // be answered.
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("200 OK"), "a second request was answered")
        #expect(try server.get("/v1/health", role: nil).status == 200)
    }

    @Test func `a good request on the same connection is answered after another`() throws {
        let server = try TestServer()
        let client = try RawClient(port: server.port)
        for _ in 0..<3 {
            client.send("GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.receiveResponse()
            #expect(response.status == 200)
            #expect(response.text == #"{"status":"ok"}"#)
        }
    }

    @Test func `headers that come too slowly cost the connection`() throws {
        let server = try TestServer { $0.http.headerSeconds = 1 }
        let client = try RawClient(port: server.port)
        client.send("GET /v1/health HTTP/1.1\r\nHost: ")
        let clock = ContinuousClock()
        let start = clock.now
        var isClosed = false
        while !isClosed, clock.now - start < .seconds(30) {
            client.send("a")
            isClosed = client.isClosedWithin(milliseconds: 300)
        }
        #expect(isClosed)
        #expect(clock.now - start < .seconds(20))
    }
}
