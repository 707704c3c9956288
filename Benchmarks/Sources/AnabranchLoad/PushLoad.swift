import AnabranchReplication
import Foundation
import Synchronization

/// Pushes of one record each, from many connections.
enum PushLoad {
    static func run(
        _ target: LoadTarget, _ options: LoadOptions, zones count: Int, _ flushes: Int
    ) throws {
        let zones = try (0..<count).map { try target.makeZone("push-\(count)-\($0)") }
        let outcome = Outcome()
        let before = (target.processorTime, ProcessorTime.seconds(named: "postgres"))
        let end = ContinuousClock.now + .seconds(options.seconds)
        Threads.run(options.connections) { number in
            do {
                let mine = stride(from: number, to: count, by: options.connections).map {
                    zones[$0]
                }
                let targets = mine.isEmpty ? [zones[number % count]] : mine
                outcome.add(try push(to: targets, until: end))
            } catch {
                outcome.add(error)
            }
        }
        try outcome.throwIfFailed()
        let milliseconds = outcome.latencies.sorted()
        guard !milliseconds.isEmpty else { throw LoadError("Nothing was pushed.") }
        let rate = milliseconds.count / options.seconds
        let name = count == 1 ? "one zone" : "\(count) zones"
        AnabranchLoad.report(
            "pushes into \(name), \(options.connections) connections",
            "\(rate) /s, \(share(rate, flushes)) of the flushes")
        reportLatencies(milliseconds)
        let used = [
            target.processorTime - before.0, ProcessorTime.seconds(named: "postgres") - before.1,
        ]
        AnabranchLoad.report(
            "  processor time a push, daemon and PostgreSQL",
            used.map { String(format: "%.0f", $0 / Double(milliseconds.count) * 1e6) }
                .joined(separator: " and ") + " µs")
    }

    /// - Parameter sorted: The milliseconds, ascending, and at least one.
    static func reportLatencies(_ sorted: [Double]) {
        AnabranchLoad.report(
            "  latency p50, p99, greatest",
            [0.5, 0.99, 1].map { portion in
                let index = min(Int(portion * Double(sorted.count)), sorted.count - 1)
                return String(format: "%.1f", sorted[index])
            }.joined(separator: ", ") + " ms")
    }

    private static func share(_ rate: Int, _ flushes: Int) -> String {
        String(format: "%.2f", Double(rate) / Double(max(flushes, 1)))
    }

    /// Pushes to some zones in turn until a time.
    ///
    /// - Returns: The milliseconds that each push took.
    private static func push(
        to zones: [LoadZone], until end: ContinuousClock.Instant
    ) throws -> [Double] {
        let connection = try LoadConnection(port: zones[0].port)
        var authors = zones.map { _ in LoadAuthor() }
        let epochs = try zones.map { try LoadAuthor.epoch(of: $0, through: connection) }
        var latencies: [Double] = []
        var next = 0
        while ContinuousClock.now < end {
            let set = authors[next].save()
            let start = ContinuousClock.now
            try LoadAuthor.push([set], epoch: epochs[next], to: zones[next], through: connection)
            latencies.append((ContinuousClock.now - start) / .milliseconds(1))
            next = (next + 1) % zones.count
        }
        return latencies
    }
}

/// What the threads of a measurement found.
final class Outcome: Sendable {
    private let found = Mutex<(latencies: [Double], error: (any Error)?)>(([], nil))

    func add(_ latencies: [Double]) { found.withLock { $0.latencies += latencies } }
    func add(_ error: any Error) { found.withLock { $0.error = $0.error ?? error } }
    var latencies: [Double] { found.withLock { $0.latencies } }

    func throwIfFailed() throws {
        if let error = found.withLock({ $0.error }) { throw error }
    }
}

/// Threads that run one function each.
enum Threads {
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            let thread = Thread {
                body(number)
                group.leave()
            }
            thread.start()
        }
        group.wait()
    }
}
