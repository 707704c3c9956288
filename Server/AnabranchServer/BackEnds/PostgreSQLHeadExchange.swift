import AnabranchProtocol
import AnabranchReplication
import Foundation

/// Announces heads by `NOTIFY` and receives them by `LISTEN`.
///
/// A transaction with a notification takes a lock of the whole database while it commits. So heads
/// are not announced by the transactions that write zones, but by a thread of its own after them,
/// many at a time and only the newest of each zone.
final class PostgreSQLHeadExchange: HeadExchange {
    private static let channel = "anabranch_heads"
    /// The time after which a lost connection is opened again.
    private static let retrySeconds = 0.5

    private let location: PostgreSQLLocation
    private let options: PostgreSQLPool.Options
    /// Marks this daemon's own announcements, which come back to it.
    private let sender: String
    private let condition = NSCondition()
    /// Used only while `condition` is locked.
    nonisolated(unsafe) private var waiting: [ZoneName: HeadNews] = [:]
    nonisolated(unsafe) private var isClosed = false
    nonisolated(unsafe) private var isAnnouncing = false

    /// Creates an exchange that is not connected yet.
    ///
    /// - Parameter sender: A name that no other daemon has.
    init(_ location: PostgreSQLLocation, options: PostgreSQLPool.Options, sender: String) {
        self.location = location
        self.options = options
        self.sender = sender
    }

    func announce(_ news: HeadNews) {
        let mustStart = condition.withLock {
            waiting[news.zone] = news
            defer { isAnnouncing = true }
            return !isAnnouncing && !isClosed
        }
        condition.signal()
        if mustStart { start("announcing") { $0.announceAll() } }
    }

    func listen(_ receive: @escaping @Sendable (HeadNews?) throws -> Void) {
        start("listening") { $0.listenUntilClosed(receive) }
    }

    private func start(
        _ name: String, _ body: @escaping @Sendable (PostgreSQLHeadExchange) -> Void
    ) {
        let thread = Thread { body(self) }
        thread.name = "anabranchd \(name)"
        thread.start()
    }

    func close() {
        condition.withLock { isClosed = true }
        condition.broadcast()
    }

    private var mustStop: Bool { condition.withLock { isClosed } }

    // MARK: Announcing

    private func announceAll() {
        var session: PostgreSQLSession?
        while let news = nextNews() {
            do {
                let open = try session ?? PostgreSQLSession(location, options: options)
                session = open
                try send(news, through: open)
            } catch {
                session = nil
                pause()
                giveBack(news)
            }
        }
    }

    /// Waits for heads to announce; `nil` after the end.
    private func nextNews() -> [HeadNews]? {
        condition.withLock {
            while waiting.isEmpty, !isClosed { condition.wait() }
            guard !isClosed else { return nil }
            defer { waiting = [:] }
            return Array(waiting.values)
        }
    }

    private func giveBack(_ news: [HeadNews]) {
        condition.withLock {
            for each in news where waiting[each.zone] == nil { waiting[each.zone] = each }
        }
    }

    private func send(_ news: [HeadNews], through session: PostgreSQLSession) throws {
        let lines = news.map { "\(sender) \($0.zone) \($0.epoch) \($0.position)" }
        _ = try session.run(
            PostgreSQLStatement(
                """
                SELECT pg_notify('\(Self.channel)', line)
                FROM unnest(string_to_array($1, E'\\n')) AS line
                """, .text(lines.joined(separator: "\n"))))
    }

    private func pause() { Thread.sleep(forTimeInterval: Self.retrySeconds) }

    // MARK: Listening

    private func listenUntilClosed(_ receive: (HeadNews?) throws -> Void) {
        while !mustStop {
            do {
                let session = try PostgreSQLSession(location, options: options)
                _ = try session.run(PostgreSQLStatement("LISTEN \(Self.channel)"))
                try receive(nil)
                while !mustStop {
                    for line in try session.connection.notifications(within: .seconds(1)) {
                        if let news = news(in: line.payload) { try receive(news) }
                    }
                }
            } catch {
                if !mustStop { pause() }
            }
        }
    }

    /// The head in a line; `nil` for a line of this daemon or one that can't be read.
    private func news(in line: String) -> HeadNews? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, words[0] != sender, let zone = try? ZoneName(words[1]),
            let epoch = EpochID(words[2]), let position = UInt64(words[3])
        else { return nil }
        return HeadNews(zone: zone, epoch: epoch, position: position)
    }
}
