import Foundation

/// Many idle event streams, and saves that reach all of them.
enum ListenerLoad {
    private static let count = 10_000
    private static let rounds = 10

    static func run(_ target: LoadTarget, _ options: LoadOptions) throws {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
        let zone = try target.makeZone("listeners")
        let connection = try LoadConnection(port: zone.port)
        let epoch = try LoadAuthor.epoch(of: zone, through: connection)
        let before = target.memory
        let streams = try Streams(count, of: zone)
        let memory = target.memory
        AnabranchLoad.report(
            "memory of the daemon with \(count) idle listeners",
            "\(memory >> 20) MiB, \((memory - before) / count / 1024) KiB each")
        var author = LoadAuthor()
        var all: [Double] = []
        for _ in 0..<rounds {
            let set = author.save()
            let start = ContinuousClock.now
            try LoadAuthor.push([set], epoch: epoch, to: zone, through: connection)
            try streams.waitForAll()
            all.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        AnabranchLoad.report(
            "a save reaches all \(count) listeners, greatest of \(rounds)",
            String(format: "%.0f ms", all.max() ?? 0))
        try waitForEvents(of: Streams(1, of: target.makeZone("listener")))
    }

    private static func waitForEvents(of stream: Streams) throws {
        let zone = stream.zone
        let connection = try LoadConnection(port: zone.port)
        let epoch = try LoadAuthor.epoch(of: zone, through: connection)
        var author = LoadAuthor()
        var times: [Double] = []
        for _ in 0..<200 {
            let set = author.save()
            let start = ContinuousClock.now
            try LoadAuthor.push([set], epoch: epoch, to: zone, through: connection)
            try stream.waitForAll()
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        times.sort()
        AnabranchLoad.report(
            "from a save to the event at one listener, p50, p99",
            String(format: "%.1f, %.1f ms", times[100], times[198]))
    }
}

/// Event streams of one zone.
final class Streams {
    let zone: LoadZone
    private var connections: [LoadConnection] = []
    /// The number of streams that are opened at the same time.
    private static let together = 200

    /// Opens streams, and waits for the first event of each.
    init(_ count: Int, of zone: LoadZone) throws {
        self.zone = zone
        let head = """
            GET /v1/zones/\(zone.name)/events HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(zone.token)\r
            \r\n
            """
        while connections.count < count {
            let opened = try (0..<min(Self.together, count - connections.count)).map { _ in
                let connection = try LoadConnection(port: zone.port)
                try connection.send(Array(head.utf8))
                return connection
            }
            try Self.wait(for: opened)
            connections += opened
        }
    }

    /// Waits until every stream has received an event that was not read before.
    func waitForAll() throws { try Self.wait(for: connections) }

    private static func wait(for connections: [LoadConnection]) throws {
        var waiting = connections.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !waiting.isEmpty {
            guard poll(&waiting, nfds_t(waiting.count), 10_000) > 0 else {
                throw LoadError("\(waiting.count) streams got no event within ten seconds.")
            }
            waiting.removeAll { stream in
                guard stream.revents != 0 else { return false }
                let size = read(stream.fd, &chunk, chunk.count)
                // The answer's headers and heartbeats contain no data.
                return size > 0 && chunk[..<size].contains(UInt8(ascii: "{"))
            }
        }
    }
}
