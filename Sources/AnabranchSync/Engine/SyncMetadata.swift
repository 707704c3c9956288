internal import AnabranchReplication
package import AnabranchStore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What the first sync writes into the store, so that later ones need no address, and what the
/// last one left for people to read.
package struct SyncMetadata: Sendable {
    package var server: String?
    package var zone: String?
    /// Of the last exchange that came to its end.
    package var lastExchange: Date?
    /// What to add to the client's clock to have the server's.
    package var clockOffsetMilliseconds: Int64?
    /// Of the zone's log, as the last exchange that came to its end has left it.
    package var headPosition: UInt64?
    package var problems = SyncProblems()

    private enum Key {
        static let server = "sync.server"
        static let zone = "sync.zone"
        static let lastExchange = "sync.last-exchange"
        static let clockOffset = "sync.clock-offset"
        static let headPosition = "sync.head-position"
        static let blockedBy = "sync.blocked-by"
        static let lastError = "sync.last-error"
    }

    package init(of store: Store) throws {
        server = try store.metadata(Key.server).map { String(decoding: $0, as: UTF8.self) }
        zone = try store.metadata(Key.zone).map { String(decoding: $0, as: UTF8.self) }
        lastExchange = try Self.number(store, Key.lastExchange).map {
            Date(timeIntervalSince1970: Double($0) / 1000)
        }
        clockOffsetMilliseconds = try Self.number(store, Key.clockOffset)
        headPosition = try Self.number(store, Key.headPosition).map { UInt64(clamping: $0) }
        problems.blockedBy = try Self.problem(store, Key.blockedBy)
        problems.lastError = try Self.problem(store, Key.lastError)
    }

    /// Names the server and the zone, once an exchange has shown that they are there.
    package static func keep(server: String, zone: String, in store: Store) throws {
        let kept = try SyncMetadata(of: store)
        if kept.server != server { try store.setMetadata(Key.server, Array(server.utf8)) }
        if kept.zone != zone { try store.setMetadata(Key.zone, Array(zone.utf8)) }
    }

    /// Notes an exchange that came to its end, and with it that none has broken off since.
    package static func keep(
        exchangeAt wallMilliseconds: Int64, clockOffsetMilliseconds: Int64, headPosition: UInt64,
        blockedBy: SyncError?, in store: Store
    ) throws {
        try store.followClock(offsetMilliseconds: clockOffsetMilliseconds)
        try store.setMetadata([
            Key.lastExchange: Array("\(wallMilliseconds)".utf8),
            Key.clockOffset: Array("\(clockOffsetMilliseconds)".utf8),
            Key.headPosition: Array("\(headPosition)".utf8),
            Key.blockedBy: try blockedBy.map(SyncProblems.encoded),
            Key.lastError: nil,
        ])
    }

    /// Notes why an exchange broke off.
    package static func keep(lastError: SyncError, in store: Store) throws {
        try store.setMetadata(Key.lastError, SyncProblems.encoded(lastError))
    }

    /// - Returns: `nil` too for what this version can't read: it is for people only.
    private static func problem(_ store: Store, _ key: String) throws -> SyncError? {
        try store.metadata(key).flatMap { SyncProblems.decoded($0) }
    }

    private static func number(_ store: Store, _ key: String) throws -> Int64? {
        try store.metadata(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
}
