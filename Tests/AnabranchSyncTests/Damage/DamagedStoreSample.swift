import Anabranch
import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// The file of a store with every kind of row, that of its zone, and a bundle of another store.
struct DamagedStoreSample: Sendable {
    let store: Data
    let zone: Data
    let bundle: Data
    /// The time at which the files were closed.
    let milliseconds: Int64

    static let shared = Task { try await DamagedStoreWorld().sample() }

    static let epoch = EpochID(high: 0xE, low: 0xE)

    static func openZone(_ path: String, _ clock: SettableClock) throws -> ZoneService {
        var limits = ZoneLimits()
        limits.bodyBytes = 200_000
        var options = SQLiteZoneStorage.Options()
        // A copy of the file is the same zone.
        options.fileIdentity = { _ in try FileIdentity(path: "/") }
        return ZoneService(
            name: try ZoneName("family"),
            storage: try SQLiteZoneStorage(path: path, creating: true, options: options) { epoch },
            limits: limits, wallMilliseconds: { clock.milliseconds })
    }

    /// - Parameter seed: Determines the replica IDs of the store.
    static func openStore(
        _ path: String, version: Int?, _ clock: SettableClock, seed: UInt64
    ) throws -> PersistentStoreCoordinator {
        var description = PersistentStoreDescription(url: URL(filePath: path))
        let generator = Mutex(SeededGenerator(seed: seed))
        description.environment.randomBytes = { count in
            generator.withLock { generator in
                (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
        }
        description.environment.wallMilliseconds = { clock.milliseconds }
        description.environment.partLimits.byteCount = 20_000
        description.environment.hasCheckpointer = false
        description.environment.fileIdentity = { _ in [] }
        description.followsOtherProcesses = false
        return try PersistentStoreCoordinator(
            model: version.map { try EveryFeatureModel.make($0) }, storeDescription: description)
    }

    static func engine(
        _ coordinator: PersistentStoreCoordinator, _ zone: ZoneService, _ clock: SettableClock
    ) throws -> SyncEngine {
        let address = try ServerAddress(
            server: #require(URL(string: "https://sync.example")), zone: "family", token: nil,
            allowingPlainHTTP: false)
        var environment = SyncEnvironment.system
        environment.wallMilliseconds = { clock.milliseconds }
        environment.draw = { 0 }
        environment.sleep = { _ in try Task.checkCancellation() }
        return try SyncEngine(
            coordinator: coordinator, address: address,
            transport: MemoryTransport(ZoneEndpoint(zone), seed: 0, faults: .none),
            environment: environment)
    }
}
