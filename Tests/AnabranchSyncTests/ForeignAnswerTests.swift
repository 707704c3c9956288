import AnabranchProtocol
import AnabranchServer
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of what is said about answers that the sync server has not written.
struct ForeignAnswerTests {
    private static func error(_ status: Int) -> ProtocolError {
        ForeignAnswer(
            status: status, server: "https://sync.example", purpose: "sync",
            bodyByteCount: 2_000_000
        ).error
    }

    @Test func `a proxy's limit of bodies is no wrong address`() {
        let error = Self.error(413)
        #expect(error.code == .bodyTooLarge)
        #expect(error.message.contains("proxy") && error.message.contains("2000000 bytes"))
        #expect(!error.message.contains("address"))
        #expect(error.details["limit"] == nil)
    }

    @Test(arguments: [
        (401, ProtocolError.Code.unauthorized), (403, .forbidden), (404, .notFound),
        (429, .overloaded), (502, .overloaded), (302, .malformedRequest),
    ])
    func `any other status asks for a look at the address`(
        _ status: Int, _ code: ProtocolError.Code
    ) {
        let error = Self.error(status)
        #expect(error.code == code && error.details["status"] == "\(status)")
        #expect(error.message.contains("Check the address"))
    }

    @Test func `a header that was removed on the way is no missing token`() throws {
        let missing = ProtocolError(
            .unauthorized, "It is missing.",
            details: ["header": "Authorization", "reason": "missing"])
        let told = missing.explainingRemovedToken(on: "https://sync.example")
        #expect(told.code == .unauthorized && told.details["reason"] == "removed")
        #expect(told.message.contains("proxy"))
        let wrong = ProtocolError(
            .unauthorized, "It is not known here.", details: ["header": "Authorization"])
        #expect(wrong.explainingRemovedToken(on: "https://sync.example") == wrong)
    }

    @Test(arguments: [true, false])
    func `a proxy that removes the header is told, unless there was no token`(
        hasToken: Bool
    ) async throws {
        let server = try LoopbackServer()
        let proxy = try EventProxy(
            before: server.url.absoluteString, .passed, removing: "Authorization")
        defer { proxy.close() }
        let transport = try CurlTransport(
            ServerAddress(
                server: try #require(URL(string: proxy.url)), zone: "test",
                token: hasToken ? server.token : nil, allowingPlainHTTP: false))
        let reason = hasToken ? "removed" : "missing"
        guard case .refusal(let error, _) = try await transport.send(.hello, body: []) else {
            Issue.record("It was accepted.")
            return
        }
        #expect(error.code == .unauthorized && error.details["reason"] == reason)
        #expect(error.message.contains(proxy.url) == hasToken, "\(error.message)")
        let failure = await #expect(throws: SyncError.self) {
            for try await _ in transport.events() {}
        }
        #expect(failure?.code == .unauthorized && failure?.details["reason"] == reason)
    }

    @Test func `the server says whether a token is missing`() async throws {
        let server = try LoopbackServer()
        for (token, reason) in [(nil, "missing"), ("wrong", nil)] as [(String?, String?)] {
            let address = try ServerAddress(
                server: server.url, zone: "test", token: token, allowingPlainHTTP: false)
            let reply = try await CurlTransport(address).send(.hello, body: [])
            guard case .refusal(let error, _) = reply else {
                Issue.record("It was accepted.")
                continue
            }
            #expect(error.code == .unauthorized && error.details["reason"] == reason)
        }
    }
}
