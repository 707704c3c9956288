import AnabranchReplication
import Foundation

/// One record each into so many zones that a daemon can't keep them all open.
enum ManyZonesLoad {
    private static let count = 100_000

    static func run(_ target: LoadTarget, _ options: LoadOptions) throws {
        let zones = try (0..<count).map { try target.makeZone("many-\($0)") }
        let outcome = Outcome()
        let start = ContinuousClock.now
        Threads.run(options.connections) { number in
            do {
                let mine = stride(from: number, to: count, by: options.connections)
                outcome.add(try visit(mine.map { zones[$0] }))
            } catch {
                outcome.add(error)
            }
        }
        try outcome.throwIfFailed()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        AnabranchLoad.report(
            "new zones with one record, \(options.connections) connections",
            "\(Int(Double(count) / seconds)) /s, \(count) in all")
        PushLoad.reportLatencies(outcome.latencies.sorted())
        AnabranchLoad.report(
            "  the daemon's memory and descriptors",
            "\(target.memory / 1_048_576) MiB, \(target.descriptorCount)")
    }

    /// Pushes one record into each zone.
    ///
    /// - Returns: The milliseconds that each zone took.
    private static func visit(_ zones: [LoadZone]) throws -> [Double] {
        let connection = try LoadConnection(port: zones[0].port)
        return try zones.map { zone in
            var author = LoadAuthor()
            let start = ContinuousClock.now
            let epoch = try LoadAuthor.epoch(of: zone, through: connection)
            try LoadAuthor.push([author.save()], epoch: epoch, to: zone, through: connection)
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
    }
}
