import AnabranchProtocol
import Synchronization

/// The zones with a storage that has failed, so that readiness and the metrics can report them.
///
/// A zone counts as failing from a request on that its storage could not serve. After five minutes
/// without another such request the zone is looked at again: it may have been repaired, or a full
/// disk may have room again.
final class ZoneHealth: Sendable {
    private struct Failure {
        var cause: String
        var milliseconds: Int64
    }

    private let failures = Mutex<[ZoneName: Failure]>([:])
    private let wallMilliseconds: @Sendable () -> Int64

    /// The time in milliseconds after which a zone is looked at again.
    static let patience: Int64 = 300_000

    init(wallMilliseconds: @escaping @Sendable () -> Int64) {
        self.wallMilliseconds = wallMilliseconds
    }

    /// Records the error of a request, if it shows that the zone's storage fails.
    func note(_ error: ProtocolError, of zone: ZoneName) {
        guard error.code == .internalError || error.code == .storageFull else { return }
        // A zone that takes no further replica has a storage that works.
        guard error.details[ProtocolError.causeDetail] != nil else { return }
        let failure = Failure(cause: error.operatorMessage, milliseconds: wallMilliseconds())
        failures.withLock { $0[zone] = failure }
    }

    /// Records that the zone's storage works again.
    func clear(_ zone: ZoneName) { failures.withLock { $0[zone] = nil } }

    /// The number of zones that fail.
    var count: Int { failures.withLock { $0.count } }

    /// The failing zones, each with the cause.
    var causes: [ZoneName: String] { failures.withLock { $0.mapValues(\.cause) } }

    /// The zones that failed so long ago that they have to be looked at again.
    var overdue: [ZoneName] {
        let now = wallMilliseconds()
        return failures.withLock { failures in
            failures.filter { now - $0.value.milliseconds >= Self.patience }.map(\.key)
        }
    }
}

extension OpenZones {
    /// Looks whether the zones that were opened can be served. If all of them fail, it looks at a
    /// few others: a load balancer that sends no requests would otherwise never open another one.
    ///
    /// - Returns: The number of zones that fail, while others can be served.
    /// - Throws: ``StorageError`` if no zone that was looked at can be served, with a cause.
    func checkHealth() throws -> Int {
        for name in health.overdue {
            // A zone that still fails is recorded again.
            if (try? withZone(name, { zone throws(ProtocolError) in try zone.head() })) != nil {
                health.clear(name)
            }
        }
        let causes = health.causes
        guard let first = causes.min(by: { $0.key.string < $1.key.string }) else { return 0 }
        guard opened.contains(where: { causes[$0.name] == nil }) || servesOther(than: causes) else {
            throw StorageError(.failed, "Zone \(first.key): \(first.value)")
        }
        return causes.count
    }

    /// The number of further zones that are looked at, so that a look takes little time.
    private static let furtherZones = 3

    /// Opens zones of the store that no request has asked for, until one can be served.
    private func servesOther(than failing: [ZoneName: String]) -> Bool {
        let others = (try? storedZones())?.filter { failing[$0] == nil } ?? []
        return others.prefix(Self.furtherZones).contains { name in
            (try? withZone(name) { zone throws(ProtocolError) in try zone.head() }) != nil
        }
    }
}
