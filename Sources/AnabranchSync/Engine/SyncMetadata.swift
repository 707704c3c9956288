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
    /// The files of the certificates for the server.
    var files = CertificateFiles()
    /// The time when the last complete exchange ended.
    package var lastExchange: Date?
    /// The milliseconds to add to the client's clock to get the server's.
    package var clockOffsetMilliseconds: Int64?
    /// The position of the last entry of the zone's log at the last complete exchange.
    package var headPosition: UInt64?
    package var quotas: [ZoneQuota] = []
    package var problems = SyncFailures()
    /// The reason why the last live loop got no events from the zone.
    package var missingEvents: SyncError?

    private enum Key {
        static let server = "sync.server"
        static let zone = "sync.zone"
        static let certificateAuthorities = "sync.certificate-authorities"
        static let clientCertificate = "sync.client-certificate"
        static let clientKey = "sync.client-key"
        static let lastExchange = "sync.last-exchange"
        static let clockOffset = "sync.clock-offset"
        static let headPosition = "sync.head-position"
        static let quotas = "sync.quotas"
        static let blockedBy = "sync.blocked-by"
        static let lastError = "sync.last-error"
        static let missingEvents = "sync.missing-events"
    }

    package init(of store: Store) throws {
        server = try Self.text(store, Key.server)
        zone = try Self.text(store, Key.zone)
        files.authorities = try Self.text(store, Key.certificateAuthorities)
        if let certificate = try Self.text(store, Key.clientCertificate),
            let key = try Self.text(store, Key.clientKey)
        {
            files.client = ClientCertificate(certificateFile: certificate, keyFile: key)
        }
        lastExchange = try Self.number(store, Key.lastExchange).map {
            Date(timeIntervalSince1970: Double($0) / 1000)
        }
        clockOffsetMilliseconds = try Self.number(store, Key.clockOffset)
        headPosition = try Self.number(store, Key.headPosition).map { UInt64(clamping: $0) }
        quotas = try store.metadata(Key.quotas).map { ZoneQuota.decoded($0) } ?? []
        problems.blockedBy = try Self.problem(store, Key.blockedBy)
        problems.lastError = try Self.problem(store, Key.lastError)
        missingEvents = try Self.problem(store, Key.missingEvents)
    }

    private static func text(_ store: Store, _ key: String) throws -> String? {
        try store.metadata(key).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Stores the address of the server, the name of the zone, and the files of the certificates
    /// that were used, in place of earlier ones.
    ///
    /// An engine calls it only after the zone has answered.
    static func keep(
        server: String, zone: String, files: CertificateFiles, in store: Store
    ) throws {
        let kept = try SyncMetadata(of: store)
        if kept.server != server { try store.setMetadata(Key.server, Array(server.utf8)) }
        if kept.zone != zone { try store.setMetadata(Key.zone, Array(zone.utf8)) }
        guard kept.files != files else { return }
        try store.setMetadata([
            Key.certificateAuthorities: files.authorities.map { Array($0.utf8) },
            Key.clientCertificate: files.client.map { Array($0.certificateFile.utf8) },
            Key.clientKey: files.client.map { Array($0.keyFile.utf8) },
        ])
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

    /// Stores the reason why the zone's events do not arrive, or `nil` if they do.
    package static func keep(missingEvents: SyncError?, in store: Store) throws {
        try store.setMetadata([Key.missingEvents: try missingEvents.map(SyncFailures.encoded)])
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
