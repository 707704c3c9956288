import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of a hook at an HTTP endpoint, here the server of this package.
@Suite struct HTTPValidationTests {
    /// An endpoint that answers each body by a function.
    private final class Endpoint: HTTPHandler {
        let bodies = Mutex<[[UInt8]]>([])
        let types = Mutex<Set<String>>([])
        private let respond: @Sendable ([UInt8]) -> HTTPResponse
        private let server: MicroHTTPServer
        let port = Mutex(0)

        init(_ respond: @escaping @Sendable ([UInt8]) -> HTTPResponse) throws {
            self.respond = respond
            server = MicroHTTPServer(options: HTTPServerOptions())
        }

        func start() throws -> String {
            port.withLock { $0 = -1 }
            let number = try server.start(self)
            port.withLock { $0 = number }
            return "http://127.0.0.1:\(number)/check"
        }

        func stop() { server.stop() }

        func exchange(for head: HTTPRequestHead) -> HTTPExchange {
            types.withLock { _ = $0.insert("\(head.method) \(head.headers["Content-Type"] ?? "")") }
            return .read(limit: 64 << 20) { [self] body in
                bodies.withLock { $0.append(body) }
                return respond(body)
            }
        }

        func answer(to fault: HTTPFault) -> HTTPResponse { HTTPResponse(status: 500) }
        func finished(_ record: HTTPRecord) {}
    }

    private func ask(
        _ hook: HTTPValidation, _ body: [UInt8] = [1, 2], timeout: Duration = .seconds(60),
        unless stop: StopSignal = StopSignal()
    ) throws(ValidationFailure) -> [UInt8] {
        try hook.answer(to: body, of: "notes", within: timeout, unless: stop)
    }

    @Test func `a body is posted as JSON, and the body of the answer comes back`() throws {
        let endpoint = try Endpoint { HTTPResponse(status: 200, body: .bytes($0 + [7])) }
        let hook = HTTPValidation(try endpoint.start())
        for number in UInt8(1)...20 { #expect(try ask(hook, [number]) == [number, 7]) }
        let large = [UInt8](repeating: 5, count: 3 << 20)
        #expect(try ask(hook, large) == large + [7])
        #expect(endpoint.types.withLock { $0 } == ["POST application/json"])
        hook.close()
        endpoint.stop()
    }

    @Test(arguments: [201, 204, 301, 404, 500, 503])
    func `a status other than 200 is a failure`(status: Int) throws {
        let endpoint = try Endpoint { _ in
            HTTPResponse(status: status, headers: HTTPHeaders([("Location", "/other")]))
        }
        let hook = HTTPValidation(try endpoint.start())
        let error = #expect(throws: ValidationFailure.self) { try ask(hook) }
        #expect(error?.cause == "it answered with status \(status)")
        endpoint.stop()
    }

    @Test func `an endpoint that is slow, too talkative or away is a failure`() throws {
        let endpoint = try Endpoint { body in
            if body == [1] { usleep(800_000) }
            return HTTPResponse(
                status: 200,
                body: .bytes([UInt8](repeating: 32, count: largestValidationAnswer + 1)))
        }
        let hook = HTTPValidation(try endpoint.start())
        let slow = #expect(throws: ValidationFailure.self) {
            try ask(hook, [1], timeout: .milliseconds(100))
        }
        #expect(slow?.cause == "it gave no answer within 100 ms")
        let talkative = #expect(throws: ValidationFailure.self) { try ask(hook, [2]) }
        #expect(talkative?.cause == "its answer has more than \(largestValidationAnswer) bytes")
        endpoint.stop()
        let away = #expect(throws: ValidationFailure.self) { try ask(hook, [2]) }
        #expect(away?.cause.hasPrefix("it can't be reached: ") == true, "\(away?.cause ?? "")")
    }

    @Test func `an endpoint that does not answer is left when the server stops`() throws {
        let isDone = DispatchSemaphore(value: 0)
        let endpoint = try Endpoint { _ in
            isDone.wait()
            return HTTPResponse(status: 200)
        }
        let hook = HTTPValidation(try endpoint.start())
        let stop = StopSignal()
        stop.begin(allowing: .milliseconds(200))
        let error = #expect(throws: ValidationFailure.self) {
            try ask(hook, timeout: .seconds(3600), unless: stop)
        }
        #expect(error == .isStopping)
        isDone.signal()
        endpoint.stop()
    }
}
