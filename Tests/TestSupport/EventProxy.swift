import Foundation
import Synchronization

/// A proxy on a loopback port that treats the zone's event stream in a way of its own and passes
/// every other request, with or without one of its headers.
package final class EventProxy: Sendable {
    /// What happens to a request for `/events`.
    package enum Treatment: Hashable, Sendable {
        /// It is passed like every other request.
        case passed
        /// It is answered by the proxy itself, with this status and a page of HTML.
        case answered(status: Int)
        /// The head of the answer passes, and no byte after it.
        case buffered
        /// It is taken, and nothing is answered.
        case swallowed
    }

    private struct State {
        var treatment: Treatment
        var isClosed = false
        /// The sockets of the event streams that are open.
        var streams: Set<Int32> = []
        var eventRequests = 0
    }

    package let url: String
    private let server: UInt16
    private let removedHeader: String?
    private let listener: Int32
    private let state: Mutex<State>

    /// - Parameters:
    ///   - serverURL: The address of the server, on a port of the loopback interface.
    ///   - removedHeader: The name of a header that the first request of each connection loses.
    package init(
        before serverURL: String, _ treatment: Treatment, removing removedHeader: String? = nil
    ) throws {
        guard let port = URL(string: serverURL)?.port, let server = UInt16(exactly: port) else {
            throw Failure(description: "\(serverURL) has no port.")
        }
        self.server = server
        self.removedHeader = removedHeader
        state = Mutex(State(treatment: treatment))
        listener = Self.makeSocket()
        var address = Self.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw Failure(description: "A proxy can't listen: \(errno).") }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in accept() }
    }

    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// The number of requests for the event stream that have come.
    package var eventRequests: Int { state.withLock { $0.eventRequests } }

    /// Changes what happens to event streams, and breaks those that are open.
    package func set(_ treatment: Treatment) {
        state.withLock { state in
            state.treatment = treatment
            for stream in state.streams { shutdown(stream, Int32(SHUT_RDWR)) }
        }
    }

    /// Ends the proxy: no further connection is taken, and every event stream breaks.
    package func close() {
        state.withLock { $0.isClosed = true }
        set(.passed)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: - Connections

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else {
                if state.withLock({ $0.isClosed }) { break }
                usleep(1_000)
                continue
            }
            Thread.detachNewThread { [self] in serve(client) }
        }
        Foundation.close(listener)
    }

    /// Serves one connection. Event streams have a connection of their own, so the first request
    /// tells which kind it is.
    private func serve(_ client: Int32) {
        defer { Foundation.close(client) }
        guard let first = Self.head(from: client).map(withoutRemovedHeader) else { return }
        let line = String(decoding: first.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard line.contains("/events ") else { return pass(client, first, isWhole: true) }
        let treatment = state.withLock { state in
            state.eventRequests += 1
            state.streams.insert(client)
            return state.treatment
        }
        defer { state.withLock { _ = $0.streams.remove(client) } }
        switch treatment {
        case .passed: pass(client, first, isWhole: true)
        case .buffered: pass(client, first, isWhole: false)
        case .swallowed: while Self.bytes(from: client) != nil {}
        case .answered(let status):
            let page = "<html>\(status)</html>"
            Self.send(
                Array(
                    """
                    HTTP/1.1 \(status) Proxy\r\nContent-Type: text/html\r\nContent-Length: \
                    \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)
                    """.utf8), to: client)
        }
    }

    /// Returns the beginning of a request without the header that the proxy removes.
    private func withoutRemovedHeader(_ first: [UInt8]) -> [UInt8] {
        guard let removedHeader, let end = Self.end(ofHeadIn: first) else { return first }
        let lines = String(decoding: first[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let kept = lines.filter { !$0.lowercased().hasPrefix("\(removedHeader.lowercased()):") }
        return Array(kept.joined(separator: "\r\n").utf8) + first[end...]
    }

    /// Passes a connection to the server.
    ///
    /// - Parameter isWhole: False if only the head of the answer is passed.
    private func pass(_ client: Int32, _ first: [UInt8], isWhole: Bool) {
        let server = Self.makeSocket()
        defer { Foundation.close(server) }
        guard Self.connect(server, port: self.server), Self.send(first, to: server) else { return }
        if !isWhole {
            guard let head = Self.head(from: server),
                let end = Self.end(ofHeadIn: head), Self.send(Array(head[..<end]), to: client)
            else { return }
            while Self.bytes(from: client) != nil {}
            return
        }
        let back = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while let bytes = Self.bytes(from: server), Self.send(bytes, to: client) {}
            shutdown(client, Int32(SHUT_RDWR))
            back.signal()
        }
        while let bytes = Self.bytes(from: client), Self.send(bytes, to: server) {}
        shutdown(server, Int32(SHUT_RDWR))
        back.wait()
    }
}

// MARK: - Sockets

extension EventProxy {
    private static func makeSocket() -> Int32 {
        #if os(Linux)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func connect(_ descriptor: Int32, port: UInt16) -> Bool {
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, size) == 0
            }
        }
    }

    /// - Returns: `nil` at the end of the connection.
    private static func bytes(from descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Reads until the head of a message is complete; more may follow it.
    private static func head(from descriptor: Int32) -> [UInt8]? {
        var all: [UInt8] = []
        while end(ofHeadIn: all) == nil {
            guard let bytes = bytes(from: descriptor) else { return nil }
            all += bytes
        }
        return all
    }

    private static func end(ofHeadIn bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8) }
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
