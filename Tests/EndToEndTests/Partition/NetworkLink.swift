import Foundation
import Synchronization

/// A connection from one client to the daemon: a proxy on a loopback port that a test cuts and
/// heals.
///
/// Data that a cut holds up is delivered after it heals, as in TCP. Data that is lost is lost with
/// its connection.
final class NetworkLink: Sendable {
    enum Condition: Hashable, Sendable {
        case whole
        /// Nothing passes, and neither side is notified.
        case cut
        /// Requests pass, answers do not.
        case upOnly
        /// Answers pass, requests do not.
        case downOnly
        /// New connections are refused, and every existing connection breaks.
        case refusing
        /// Each piece is delayed by this time.
        case slow(milliseconds: UInt32)
        /// The connection breaks after this many more bytes, in the middle of a body.
        case breaking(afterBytes: Int)
    }

    private enum Direction { case up, down }

    private struct State {
        var condition = Condition.whole
        var connections: [Int32: Int32] = [:]
        var isClosed = false
    }

    let port: Int
    private let daemonPort: Int
    private let listener: Int32
    // The condition's lock guards the state.
    nonisolated(unsafe) private var state = State()
    private let gate = NSCondition()

    init(toDaemonAt daemonPort: Int) throws {
        self.daemonPort = daemonPort
        listener = Self.makeSocket()
        var address = Self.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            throw FailedProcess(description: "A link can't listen: error \(errno).")
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    #if os(Linux)
        static let sendFlags = Int32(MSG_NOSIGNAL)
        static func makeSocket() -> Int32 {
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        }
    #else
        static let sendFlags: Int32 = 0
        static func makeSocket() -> Int32 {
            let made = socket(AF_INET, SOCK_STREAM, 0)
            var isSet: Int32 = 1
            setsockopt(
                made, SOL_SOCKET, SO_NOSIGPIPE, &isSet, socklen_t(MemoryLayout<Int32>.size))
            return made
        }
    #endif

    static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    func set(_ condition: Condition) {
        if condition == .refusing { breakConnections() }
        gate.withLock {
            state.condition = condition
            gate.broadcast()
        }
    }

    /// Breaks every connection on both sides.
    func breakConnections() {
        gate.withLock {
            for (client, server) in state.connections {
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
            }
            gate.broadcast()
        }
    }

    func close() {
        gate.withLock { state.isClosed = true }
        breakConnections()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: - Connections

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else {
                if gate.withLock({ state.isClosed }) { break }
                usleep(1_000)
                continue
            }
            connect(client)
        }
        Foundation.close(listener)
    }

    private func connect(_ client: Int32) {
        guard gate.withLock({ state.condition != .refusing && !state.isClosed }) else {
            Foundation.close(client)
            return
        }
        let server = Self.makeSocket()
        var address = Self.loopback(port: daemonPort)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(server, $0, size) == 0
            }
        }
        guard isConnected else {
            // The daemon is not running at the moment.
            Foundation.close(client)
            Foundation.close(server)
            return
        }
        gate.withLock { state.connections[client] = server }
        let running = RunningPumps()
        Thread.detachNewThread { [self] in
            pump(from: client, to: server, .up)
            end(client, server, running)
        }
        Thread.detachNewThread { [self] in
            pump(from: server, to: client, .down)
            end(client, server, running)
        }
    }

    /// Closes both descriptors once neither direction uses them.
    private func end(_ client: Int32, _ server: Int32, _ running: RunningPumps) {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        guard running.end() else { return }
        gate.withLock {
            state.connections[client] = nil
            Foundation.close(client)
            Foundation.close(server)
        }
    }

    private func pump(from source: Int32, to target: Int32, _ direction: Direction) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            guard let passing = waitToPass(count, direction) else { return }
            var sent = 0
            while sent < passing {
                let written = buffer.withUnsafeBytes {
                    send(
                        target, $0.baseAddress! + sent, passing - sent, Self.sendFlags
                    )
                }
                guard written > 0 else { return }
                sent += written
            }
            guard passing == count else { return }
        }
    }

    /// - Returns: The number of bytes that pass, fewer if the connection breaks after them; `nil`
    ///   if it has ended.
    private func waitToPass(_ count: Int, _ direction: Direction) -> Int? {
        gate.lock()
        defer { gate.unlock() }
        while true {
            guard !state.isClosed else { return nil }
            switch (state.condition, direction) {
            case (.whole, _), (.upOnly, .up), (.downOnly, .down): return count
            case (.refusing, _): return nil
            case (.slow(let milliseconds), _):
                gate.unlock()
                usleep(milliseconds * 1_000)
                gate.lock()
                return count
            case (.breaking(let bytes), _):
                state.condition = .breaking(afterBytes: max(bytes - count, 0))
                return min(bytes, count)
            case (.cut, _), (.upOnly, .down), (.downOnly, .up): gate.wait()
            }
        }
    }
}

/// The two directions of a connection.
private final class RunningPumps: Sendable {
    private let count = Mutex(2)

    /// - Returns: Whether it was the last direction.
    func end() -> Bool {
        count.withLock { count in
            count -= 1
            return count == 0
        }
    }
}
