import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of event streams, and of what an operator asks of a whole server, grows with the
/// streams, zones and tokens, and not faster.
@Suite struct ServerGrowthTests {
    private static let clock: @Sendable () -> Int64 = { 1_700_000_000_000 }

    /// A server's zones, with a store of their own.
    private final class Zones {
        let directory: TemporaryDirectory
        let store: ZoneStore
        let open: OpenZones
        let names: [ZoneName]

        init(_ count: Int = 1) throws {
            directory = try TemporaryDirectory("zones")
            store = try ZoneStore(try StoreLocation("sqlite:\(directory.path)"))
            names = try (0..<count).map { try ZoneName("zone-\($0)") }
            for name in names { try store.createZone(name) }
            open = OpenZones(
                store.backEnd, limits: ZoneLimits(), limit: .max,
                wallMilliseconds: ServerGrowthTests.clock)
        }

        deinit {
            open.close()
            store.close()
        }

        /// Lets the storage of zones count as failed.
        func fail(_ names: some Sequence<ZoneName>) {
            let error = ProtocolError(
                .storageFull, "It failed.", details: [ProtocolError.causeDetail: "a full disk"])
            for name in names { open.health.note(error, of: name) }
        }
    }

    // MARK: Event streams

    /// Streams of one zone, each of a token of its own.
    private static func streams(_ count: Int, _ zones: Zones, _ hub: EventHub) throws
        -> [EventStream]
    {
        try (0..<count).map { number in
            let response = try hub.response(
                for: zones.names[0], of: zones.open, to: .token(Int64(number)))
            guard case .events(let stream) = response.body else {
                throw ProtocolError(.internalError, "The answer is no stream.")
            }
            return stream
        }
    }

    private static func makeHub() -> EventHub {
        var limits = StreamLimits()
        limits.perZone = .max
        return EventHub(heartbeat: .seconds(3600), limits: limits)
    }

    private static func push(_ author: inout TestAuthor, to zones: Zones) throws {
        let save = author.insertPerson().0
        try zones.open.withZone(zones.names[0]) { zone throws(ProtocolError) in
            _ = try zone.push(
                PushRequest(epoch: try zone.head().epoch, changeSets: [save.encoded()]))
        }
    }

    private static let streaming: [GrowingWork] = [
        GrowingWork("streams that are opened and end", from: 100) { size in
            let (zones, hub) = (try Zones(), makeHub())
            return {
                for stream in try streams(size, zones, hub) { stream.detach() }
                #expect(hub.count == 0)
            }
        },
        GrowingWork("streams of one token, beyond its limit", from: 100) { size in
            let zones = try Zones()
            var limits = StreamLimits()
            limits.perToken = 10
            let hub = EventHub(heartbeat: .seconds(3600), limits: limits)
            return {
                for _ in 0..<size {
                    _ = try? hub.response(
                        for: zones.names[0], of: zones.open, to: .token(1))
                }
                #expect(hub.count == 10)
            }
        },
        GrowingWork("streams that a push pokes", from: 500) { size in
            let (zones, hub) = (try Zones(), makeHub())
            let open = try streams(size, zones, hub)
            return {
                var author = TestAuthor(1)
                try push(&author, to: zones)
                #expect(open.count == size)
            }
        },
        GrowingWork("pushes that poke a stream which is not read", from: 50) { size in
            let (zones, hub) = (try Zones(), makeHub())
            let open = try streams(1, zones, hub)
            return {
                var author = TestAuthor(1)
                for _ in 0..<size { try push(&author, to: zones) }
                #expect(open.count == 1)
            }
        },
    ]

    @Test(arguments: streaming)
    private func `the work of event streams is at most proportional`(work: GrowingWork) throws {
        try work.expectProportional()
    }

    // MARK: What an operator asks

    private static let administration: [GrowingWork] = [
        GrowingWork("list of zones", from: 20) { size in
            let zones = try Zones(size)
            return {
                let names = try zones.store.zones()
                #expect(names.count == size)
            }
        },
        GrowingWork("metrics of open zones", from: 20) { size in
            let zones = try Zones(size)
            for name in zones.names {
                try zones.open.withZone(name) { zone throws(ProtocolError) in _ = try zone.head() }
            }
            let metrics = ServerMetrics()
            metrics.addGauges(zones: zones.open, backEnd: zones.store.backEnd) { 0 }
            return {
                let text = metrics.registry.text()
                let isComplete = text.contains("anabranch_zones_open \(zones.names.count)\n")
                #expect(isComplete)
            }
        },
        GrowingWork("readiness of a server with failing zones", from: 20) { size in
            let zones = try Zones(size)
            try zones.open.withZone(zones.names[0]) { zone throws(ProtocolError) in
                _ = try zone.head()
            }
            zones.fail(zones.names.dropFirst())
            return {
                let failing = try zones.open.checkHealth()
                #expect(failing == size - 1)
            }
        },
        GrowingWork("list of tokens", from: 200) { size in
            let zones = try Zones()
            for _ in 0..<size { _ = try zones.store.createToken(zone: zones.names[0], role: .read) }
            return {
                let all = try zones.store.tokens.tokens(zone: nil)
                let ofZone = try zones.store.tokens.tokens(zone: zones.names[0])
                #expect(all.count == size && ofZone.count == size)
            }
        },
        GrowingWork("tokens that are created and revoked", from: 50) { size in
            let zones = try Zones()
            return {
                for _ in 0..<size {
                    let token = try zones.store.createToken(zone: zones.names[0], role: .read).token
                    let revoked = try zones.store.tokens.revoke(token.number)
                    #expect(revoked != nil)
                }
            }
        },
        GrowingWork("looks at each of many tokens", from: 100) { size in
            let zones = try Zones()
            let secrets = try (0..<size).map { _ in
                try zones.store.createToken(zone: zones.names[0], role: .read).secret.text
            }
            return {
                for secret in secrets {
                    let token = try zones.store.tokens.token(matching: secret)
                    #expect(token != nil)
                }
            }
        },
        GrowingWork("replicas of which nothing is kept any longer", from: 50) { size in
            let zones = try Zones()
            let replicas = (0..<size).map { ReplicaID(high: UInt64($0 + 1), low: 1) }
            let service = try zones.open.retain(zones.names[0])
            try service.storage.write { writer in
                writer.acknowledge(
                    Dictionary(
                        uniqueKeysWithValues: replicas.map {
                            ($0, Acknowledgement(position: 0, seen: 1))
                        }))
            }
            return {
                _ = try service.forget(replicas[0])
                #expect(service.lags?.count == size - 1)
                withExtendedLifetime(zones) {}
            }
        },
    ]

    @Test(arguments: administration)
    private func `the work for an operator is at most proportional`(work: GrowingWork) throws {
        try work.expectProportional()
    }
}
