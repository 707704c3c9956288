internal import AnabranchReplication
package import AnabranchStore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The facts about the sync that a store's file keeps.
///
/// They are the server and the zone, so that later syncs need no address, and the result of the
/// last exchange, for people.
package struct SyncMetadata: Sendable {
    package var server: String?
    package var zone: String?
    /// The file of the certificate authorities that are trusted for the server.
    package var certificateAuthorities: String?
    /// The time when the last complete exchange ended.
    package var lastExchange: Date?
    /// The milliseconds to add to the client's clock to get the server's.
    package var clockOffsetMilliseconds: Int64?
    /// The position of the last entry of the zone's log at the last complete exchange.
    package var headPosition: UInt64?
    package var quotas: [ZoneQuota] = []
    package var problems = SyncFailures()

    private enum Key {
        static let server = "sync.server"
        static let zone = "sync.zone"
        static let certificateAuthorities = "sync.certificate-authorities"
        static let lastExchange = "sync.last-exchange"
        static let clockOffset = "sync.clock-offset"
        static let headPosition = "sync.head-position"
        static let quotas = "sync.quotas"
        static let blockedBy = "sync.blocked-by"
        static let lastError = "sync.last-error"
    }

    /// Reads the stored facts.
    package init(of store: Store) throws {
        server = try store.metadata(Key.server).map { String(decoding: $0, as: UTF8.self) }
        zone = try store.metadata(Key.zone).map { String(decoding: $0, as: UTF8.self) }
        certificateAuthorities = try store.metadata(Key.certificateAuthorities).map {
            String(decoding: $0, as: UTF8.self)
        }
        lastExchange = try Self.number(store, Key.lastExchange).map {
            Date(timeIntervalSince1970: Double($0) / 1000)
        }
        clockOffsetMilliseconds = try Self.number(store, Key.clockOffset)
        headPosition = try Self.number(store, Key.headPosition).map { UInt64(clamping: $0) }
        quotas = try store.metadata(Key.quotas).map { ZoneQuota.decoded($0) } ?? []
        problems.blockedBy = try Self.problem(store, Key.blockedBy)
        problems.lastError = try Self.problem(store, Key.lastError)
    }

    /// Stores the address of the server, the name of the zone, and the file of the certificate
    /// authorities that were trusted, in place of earlier ones.
    ///
    /// An engine calls it only after the zone has answered.
    package static func keep(
        server: String, zone: String, certificateAuthorities: String? = nil, in store: Store
    ) throws {
        let kept = try SyncMetadata(of: store)
        if kept.server != server { try store.setMetadata(Key.server, Array(server.utf8)) }
        if kept.zone != zone { try store.setMetadata(Key.zone, Array(zone.utf8)) }
        if kept.certificateAuthorities != certificateAuthorities {
            try store.setMetadata([
                Key.certificateAuthorities: certificateAuthorities.map { Array($0.utf8) }
            ])
        }
    }

    /// Stores a complete exchange, which also ends the last error.
    package static func keep(
        exchangeAt wallMilliseconds: Int64, clockOffsetMilliseconds: Int64, headPosition: UInt64,
        blockedBy: SyncError?, quotas: [ZoneQuota] = [], in store: Store
    ) throws {
        try store.followClock(offsetMilliseconds: clockOffsetMilliseconds)
        try store.setMetadata([
            Key.lastExchange: Array("\(wallMilliseconds)".utf8),
            Key.clockOffset: Array("\(clockOffsetMilliseconds)".utf8),
            Key.headPosition: Array("\(headPosition)".utf8),
            Key.quotas: try ZoneQuota.encoded(quotas),
            Key.blockedBy: try blockedBy.map(SyncFailures.encoded),
            Key.lastError: nil,
        ])
    }

    /// Stores the reason why an exchange failed.
    package static func keep(lastError: SyncError, in store: Store) throws {
        try store.setMetadata(Key.lastError, SyncFailures.encoded(lastError))
    }

    /// Reads a stored problem.
    ///
    /// - Returns: `nil` also for an encoding that this version can't read, because it is only for
    ///   people.
    private static func problem(_ store: Store, _ key: String) throws -> SyncError? {
        try store.metadata(key).flatMap { SyncFailures.decoded($0) }
    }

    private static func number(_ store: Store, _ key: String) throws -> Int64? {
        try store.metadata(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
}
