import AnabranchProtocol
import Foundation
import Synchronization

/// One zone that many connections saturate, beside another with one push a second. The second time
/// a snapshot of a large zone is made meanwhile.
enum SaturationLoad {
    static func run(_ target: LoadTarget, _ options: LoadOptions) throws {
        let busy = try target.makeZone("busy")
        let quiet = try target.makeZone("quiet")
        try measure("one zone saturated", busy, quiet, options) { _ in }
        let large = try target.makeZone("large")
        try fill(large)
        try measure("the same beside a snapshot of 1,000,000", busy, quiet, options) { end in
            let start = ContinuousClock.now
            try takeSnapshot(of: large, until: end)
            report("  the snapshot was there after", ContinuousClock.now - start)
        }
    }

    /// Pushes to both zones until the time is over.
    ///
    /// - Parameter beside: Runs in a thread of its own.
    private static func measure(
        _ name: String, _ busy: LoadZone, _ quiet: LoadZone, _ options: LoadOptions,
        beside: @escaping @Sendable (ContinuousClock.Instant) throws -> Void
    ) throws {
        let end = ContinuousClock.now + .seconds(options.seconds)
        let clients = (0..<options.connections).map { _ in Outcome() }
        let other = Outcome()
        Threads.run(options.connections + 2) { number in
            let outcome = number < options.connections ? clients[number] : other
            do {
                switch number - options.connections {
                case 0: outcome.add(try push(to: quiet, until: end, pausing: 1))
                case 1: try beside(end)
                default: outcome.add(try push(to: busy, until: end, pausing: 0))
                }
            } catch {
                outcome.add(error)
            }
        }
        for outcome in clients + [other] { try outcome.throwIfFailed() }
        let all = clients.flatMap(\.latencies).sorted()
        AnabranchLoad.report(name, "\(all.count / options.seconds) pushes /s")
        PushLoad.reportLatencies(all)
        let ratios = clients.map { client -> Double in
            let sorted = client.latencies.sorted()
            return share(0.99, of: sorted) / max(share(0.5, of: sorted), 0.001)
        }
        AnabranchLoad.report(
            "  p99 of a client by its median, worst of \(clients.count)",
            String(format: "%.1f", ratios.max() ?? 0))
        AnabranchLoad.report("  the other zone, \(other.latencies.count) pushes", "")
        PushLoad.reportLatencies(other.latencies.sorted())
    }

    private static func share(_ portion: Double, of sorted: [Double]) -> Double {
        sorted.isEmpty ? 0 : sorted[min(Int(portion * Double(sorted.count)), sorted.count - 1)]
    }

    /// - Parameter pause: Seconds between two pushes.
    ///
    /// - Returns: The milliseconds that each push took.
    private static func push(
        to zone: LoadZone, until end: ContinuousClock.Instant, pausing pause: Double
    ) throws -> [Double] {
        let connection = try LoadConnection(port: zone.port)
        var author = LoadAuthor()
        let epoch = try LoadAuthor.epoch(of: zone, through: connection)
        var latencies: [Double] = []
        while ContinuousClock.now < end {
            let set = author.save()
            let start = ContinuousClock.now
            try LoadAuthor.push([set], epoch: epoch, to: zone, through: connection)
            latencies.append((ContinuousClock.now - start) / .milliseconds(1))
            if pause > 0 { Thread.sleep(forTimeInterval: pause) }
        }
        return latencies
    }

    /// Fills a zone with 1,000,000 records.
    private static func fill(_ zone: LoadZone) throws {
        let connection = try LoadConnection(port: zone.port)
        var author = LoadAuthor()
        let epoch = try LoadAuthor.epoch(of: zone, through: connection)
        for _ in 0..<100 {
            try LoadAuthor.push(
                [author.save(records: 10_000)], epoch: epoch, to: zone, through: connection)
        }
    }

    /// Asks for a snapshot until it is there, from as many connections as a group of new clients.
    private static func takeSnapshot(of zone: LoadZone, until end: ContinuousClock.Instant) throws {
        let outcome = Outcome()
        Threads.run(16) { _ in
            do {
                let request = SnapshotRequest(snapshot: nil, number: 0).encoded()
                while ContinuousClock.now < end {
                    let connection = try LoadConnection(port: zone.port)
                    if (try? connection.post("snapshot", request, to: zone)) != nil { return }
                    Thread.sleep(forTimeInterval: 1)
                }
            } catch {
                outcome.add(error)
            }
        }
        try outcome.throwIfFailed()
    }

    private static func report(_ name: String, _ duration: Duration) {
        AnabranchLoad.report(name, String(format: "%.1f s", duration / .seconds(1)))
    }
}
