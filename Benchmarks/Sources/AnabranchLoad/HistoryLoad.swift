import AnabranchProtocol
import AnabranchReplication
import Foundation

/// Pulls of the newest entries, behind a short and behind a long log.
enum HistoryLoad {
    private static let short = 1000
    private static let setsInPush = 1000
    /// The new entries that each measured pull gets.
    private static let newest = 10
    private static let pulls = 1000

    static func run(_ target: LoadTarget, _ options: LoadOptions) throws {
        let zone = try target.makeZone("history")
        let connection = try LoadConnection(port: zone.port)
        let epoch = try LoadAuthor.epoch(of: zone, through: connection)
        var author = LoadAuthor()
        var cursor = LogCursor(startOf: epoch)
        var count = 0
        for length in [short, options.entries] {
            let start = ContinuousClock.now
            let missing = length - count
            while count < length {
                let size = min(setsInPush, length - count)
                try LoadAuthor.push(
                    (0..<size).map { _ in author.save() }, epoch: epoch, to: zone,
                    through: connection)
                count += size
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            cursor = try PullLoad.pullAll(of: zone, after: cursor, through: connection)
            try LoadAuthor.push(
                (0..<newest).map { _ in author.save() }, epoch: epoch, to: zone,
                through: connection)
            count += newest
            AnabranchLoad.report(
                "\(missing) entries pushed, \(setsInPush) at a time",
                "\(Int(Double(missing) / seconds)) /s")
            let times = try (0..<pulls).map { _ in
                try pull(from: cursor, of: zone, through: connection)
            }
            AnabranchLoad.report("pulls of \(newest) entries behind \(length)", "\(pulls)")
            PushLoad.reportLatencies(times.sorted())
        }
    }

    /// - Returns: The milliseconds of one pull.
    private static func pull(
        from cursor: LogCursor, of zone: LoadZone, through connection: LoadConnection
    ) throws -> Double {
        let request = PullRequest(cursor: cursor, byteLimit: 1 << 20).encoded()
        let start = ContinuousClock.now
        let page = try PullResponse(decoding: connection.post("pull", request, to: zone))
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        guard page.changeSets.count == newest else {
            throw LoadError("A pull got \(page.changeSets.count) entries instead of \(newest).")
        }
        return milliseconds
    }
}
