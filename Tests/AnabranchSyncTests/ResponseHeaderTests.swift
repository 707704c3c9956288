import Foundation
import Testing

@testable import AnabranchSync

/// Tests of what a response's headers say.
struct ResponseHeaderTests {
    private static func response(_ lines: [String]) -> CurlResponse {
        let receiver = CurlReceiver(
            CurlTransfer(
                url: "", headers: [], body: nil, timeout: nil, connectTimeout: .seconds(1),
                largestResponse: 100))
        for line in lines {
            let isTaken = Array(line.utf8).withUnsafeBytes { receiver.receive(header: $0) }
            #expect(isTaken)
        }
        return receiver.response
    }

    @Test func `names and types count in any case, with any space before the value`() {
        let response = Self.response([
            "HTTP/1.1 200 OK\r\n", "CONTENT-Type:   Application/JSON; charset=utf-8\r\n",
            "content-encoding:ZSTD\r\n", "Retry-After: 7\r\n", "\r\n",
        ])
        #expect(response.status == 200 && response.contentType == "application/json")
        #expect(response.contentEncoding == "zstd" && response.retryAfter == .seconds(7))
    }

    @Test func `another status line begins another response`() {
        let response = Self.response([
            "HTTP/1.1 100 Continue\r\n", "Retry-After: 7\r\n", "\r\n", "HTTP/2 503\r\n",
            "Content-Type: text/html\r\n", "\r\n",
        ])
        #expect(response.status == 503 && response.contentType == "text/html")
        #expect(response.retryAfter == nil)
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 abc OK", "HTTP/"])
    func `a status line without a number has the status 0`(line: String) {
        #expect(Self.response([line + "\r\n"]).status == 0)
    }

    @Test func `other headers, and lines that are none, change nothing`() {
        let response = Self.response([
            "HTTP/1.1 204 No Content\r\n", "Content-Typo: a\r\n", "Retry-After: -5\r\n",
            ": value\r\n", "no colon\r\n", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}-type: b\r\n",
            "Retry-After: soon\r\n", "\r\n",
        ])
        #expect(response.status == 204 && response.contentType.isEmpty)
        #expect(response.contentEncoding.isEmpty && response.retryAfter == nil)
    }
}
