package import AnabranchProtocol
import AnabranchReplication
import Synchronization

/// The zones that are in use, each opened once, when it is first asked for.
package final class OpenZones: Sendable {

    private struct State {
        var zones: [ZoneName: ZoneService] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let backEnd: any BackEnd
    private let limits: ZoneLimits
    private let wallMilliseconds: @Sendable () -> Int64

    package init(
        _ backEnd: any BackEnd, limits: ZoneLimits,
        wallMilliseconds: @escaping @Sendable () -> Int64
    ) {
        self.backEnd = backEnd
        self.limits = limits
        self.wallMilliseconds = wallMilliseconds
    }

    /// - Throws: `notFound` where there is no such zone, `shuttingDown` behind ``close()``.
    package func zone(_ name: ZoneName) throws(ProtocolError) -> ZoneService {
        do {
            // Under the lock: a zone must not be opened twice, and opening is rare and quick.
            return try state.withLock { state in
                guard !state.isClosed else {
                    throw ZoneStorageError(.closed, "The server is stopping.")
                }
                if let zone = state.zones[name] { return zone }
                let zone = ZoneService(
                    name: name, storage: try backEnd.open(name), limits: limits,
                    wallMilliseconds: wallMilliseconds)
                state.zones[name] = zone
                return zone
            }
        } catch {
            throw ProtocolError(serving: name, error)
        }
    }

    package func close() {
        let zones = state.withLock { state in
            state.isClosed = true
            defer { state.zones = [:] }
            return Array(state.zones.values)
        }
        for zone in zones { zone.close() }
    }
}
