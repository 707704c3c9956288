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

    private enum Key {
        static let server = "sync.server"
        static let zone = "sync.zone"
        static let lastExchange = "sync.last-exchange"
        static let clockOffset = "sync.clock-offset"
    }

    package init(of store: Store) throws {
        server = try store.metadata(Key.server).map { String(decoding: $0, as: UTF8.self) }
        zone = try store.metadata(Key.zone).map { String(decoding: $0, as: UTF8.self) }
        lastExchange = try Self.number(store, Key.lastExchange).map {
            Date(timeIntervalSince1970: Double($0) / 1000)
        }
        clockOffsetMilliseconds = try Self.number(store, Key.clockOffset)
    }

    /// Names the server and the zone, once an exchange has shown that they are there.
    package static func keep(server: String, zone: String, in store: Store) throws {
        let kept = try SyncMetadata(of: store)
        if kept.server != server { try store.setMetadata(Key.server, Array(server.utf8)) }
        if kept.zone != zone { try store.setMetadata(Key.zone, Array(zone.utf8)) }
    }

    package static func keep(
        exchangeAt wallMilliseconds: Int64, clockOffsetMilliseconds: Int64, in store: Store
    ) throws {
        try store.setMetadata(Key.lastExchange, Array("\(wallMilliseconds)".utf8))
        try store.setMetadata(Key.clockOffset, Array("\(clockOffsetMilliseconds)".utf8))
    }

    private static func number(_ store: Store, _ key: String) throws -> Int64? {
        try store.metadata(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
}
