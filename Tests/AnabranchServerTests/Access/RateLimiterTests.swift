import AnabranchProtocol
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct RateLimiterTests {
    private func limiter(_ limits: RateLimits, _ metrics: ServerMetrics) -> RateLimiter {
        RateLimiter(limits, metrics: metrics) { .zero }
    }

    @Test func `a refusal says how long to wait, and is counted by its kind`() throws {
        let metrics = ServerMetrics()
        let limiter = limiter(RateLimits(perToken: 7, perAddress: 1), metrics)
        for _ in 0..<7 { try limiter.count(.token(1)) }
        let error = #expect(throws: ProtocolError.self) { try limiter.count(.token(1)) }
        #expect(error?.code == .tooManyRequests)
        // 60/7 seconds, rounded up.
        #expect(error?.details == ["limit": "token", "retryAfter": "9"])
        try limiter.count(.token(2))
        try limiter.count(.subject("ada"))
        try limiter.count(address: "10.0.0.1")
        try limiter.count(address: "10.0.0.2")
        #expect(throws: ProtocolError.self) { try limiter.count(address: "10.0.0.1") }
        // An address that is not known has no limit.
        for _ in 0..<9 { try limiter.count(address: "") }
        let text = metrics.registry.text()
        #expect(text.contains("anabranch_limited_requests_total{limit=\"token\"} 1\n"))
        #expect(text.contains("anabranch_limited_requests_total{limit=\"address\"} 1\n"))
    }

    @Test func `limits are replaced while requests arrive`() throws {
        let limiter = limiter(RateLimits(), ServerMetrics())
        for _ in 0..<9 { try limiter.count(.token(1)) }
        limiter.replace(RateLimits(perToken: 1))
        try limiter.count(.token(1))
        #expect(throws: ProtocolError.self) { try limiter.count(.token(1)) }
        limiter.replace(RateLimits(perAddress: 1))
        for _ in 0..<9 { try limiter.count(.token(1)) }
    }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.2", false), ("2001:db8::1", "2001:db8::2", true),
        ("2001:db8::1", "2001:DB8:0:0:ffff::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false), ("unix", "unix", true),
    ])
    func `addresses of one IPv6 network count as one`(
        first: String, second: String, isSame: Bool
    ) {
        #expect((SocketAddress.network(of: first) == SocketAddress.network(of: second)) == isSame)
    }

    @Test(.everyStore) func `a token that asks too often gets 429 and Retry-After`() throws {
        let server = try TestServer { $0.rates.perToken = 2 }
        for _ in 0..<2 { #expect(try server.get("/v1/zones/test").status == 200) }
        let refused = try server.get("/v1/zones/test")
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "30")
        #expect(refused.text.contains("\"too-many-requests\""))
        // Another token, and pages that need none, are not concerned.
        #expect(try server.get("/v1/zones/test", role: .admin).status == 200)
        #expect(try server.get("/v1/health", role: nil).status == 200)
    }

    @Test func `guesses of tokens are limited by their address`() throws {
        let server = try TestServer { $0.rates.perAddress = 3 }
        let guess = ["Authorization: Bearer abt_guess"]
        for _ in 0..<3 {
            #expect(try server.get("/v1/zones/test", role: nil, extra: guess).status == 401)
        }
        #expect(try server.get("/v1/zones/test", role: nil, extra: guess).status == 429)
        #expect(try server.get("/v1/zones/test").status == 429)
        #expect(try server.get("/v1/ready", role: nil).status == 200)
    }
}
