import AnabranchProtocol
import AnabranchReplication
import Foundation

/// Pulls of a whole log by several clients at once.
enum PullLoad {
    private static let saves = 200
    private static let recordsEach = 1000

    static func run(_ target: LoadTarget, _ options: LoadOptions) throws {
        let zone = try target.makeZone("pull")
        let connection = try LoadConnection(port: zone.port)
        let epoch = try LoadAuthor.epoch(of: zone, through: connection)
        var author = LoadAuthor()
        for _ in 0..<saves {
            try LoadAuthor.push(
                [author.save(records: recordsEach)], epoch: epoch, to: zone, through: connection)
        }
        let outcome = Outcome()
        let end = ContinuousClock.now + .seconds(options.seconds)
        Threads.run(4) { _ in
            do {
                let connection = try LoadConnection(port: zone.port)
                var pulled = 0
                while ContinuousClock.now < end {
                    try pullAll(of: zone, through: connection)
                    pulled += saves * recordsEach
                }
                outcome.add([Double(pulled)])
            } catch {
                outcome.add(error)
            }
        }
        try outcome.throwIfFailed()
        let records = Int(outcome.latencies.reduce(0, +)) / options.seconds
        AnabranchLoad.report("records pulled by 4 clients", "\(records) /s")
    }

    /// Pulls up to the end of the log.
    ///
    /// - Returns: The cursor at the end.
    @discardableResult
    static func pullAll(
        of zone: LoadZone, after start: LogCursor? = nil, through connection: LoadConnection
    ) throws -> LogCursor {
        var cursor = start
        while true {
            let request = PullRequest(cursor: cursor, byteLimit: 1 << 20)
            let page = try PullResponse(
                decoding: connection.post("pull", request.encoded(), to: zone))
            cursor = page.cursor
            if page.cursor.position >= page.headPosition { return page.cursor }
        }
    }
}
