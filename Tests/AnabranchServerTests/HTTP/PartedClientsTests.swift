import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Requests of clients that leave while the server is busy.
struct PartedClientsTests {
    /// Answers each request when it is told to.
    private final class Handler: HTTPHandler {
        let begun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let begunCount = Mutex(0)

        func exchange(for head: HTTPRequestHead) -> HTTPExchange {
            .read(limit: 100) { [self] _ in
                begunCount.withLock { $0 += 1 }
                begun.signal()
                mayEnd.wait()
                return HTTPResponse(status: 200)
            }
        }

        func answer(to fault: HTTPFault) -> HTTPResponse { HTTPResponse(status: 503) }

        func finished(_ record: HTTPRecord) { ended.signal() }
    }

    @Test func `requests that wait for a thread end when their clients leave`() throws {
        let handler = Handler()
        var options = HTTPServerOptions()
        options.workers = 1
        let server = MicroHTTPServer(options: options)
        let port = try server.start(handler)
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let running = try RawClient(port: port)
        running.send(request)
        handler.begun.wait()
        var waiting = try (0..<20).map { _ in try RawClient(port: port) }
        for client in waiting { client.send(request) }
        waiting = []
        let deadline = DispatchTime.now() + 60
        for _ in 0..<20 { #expect(handler.ended.wait(timeout: deadline) == .success) }
        handler.mayEnd.signal()
        #expect(try running.receiveResponse().status == 200)
        server.stop()
        #expect(handler.begunCount.withLock { $0 } == 1)
    }
}
