package import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization

/// The zones in use; each is opened once, at the first request for it.
///
/// A zone that is not in use stays open for the next request. If there are more open zones than the
/// limit, the least recently used one is closed. Observers don't keep a zone open: they are kept
/// here by its name, and the zone finds them when it is opened again.
package final class OpenZones: Sendable {
    /// The entry of a zone, created before the zone is opened, so that opening it blocks no other
    /// zone.
    fileprivate final class Slot: Sendable {
        private let opening = NSLock()
        private let zone = Mutex<ZoneService?>(nil)

        func zone(orOpen open: () throws -> ZoneService) throws -> ZoneService {
            try opening.withLock {
                if let zone = zone.withLock({ $0 }) { return zone }
                let opened = try open()
                zone.withLock { $0 = opened }
                return opened
            }
        }

        var opened: ZoneService? { zone.withLock { $0 } }

        func close() { opened?.close() }
    }

    fileprivate struct Entry {
        let place: Slot
        var users = 0
        var lastUse: UInt64 = 0
    }

    fileprivate struct State {
        var entries: [ZoneName: Entry] = [:]
        var observers: [ZoneName: HeadObservers] = [:]
        var useCount: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let backEnd: any BackEnd
    private let limits: ZoneLimits
    private let validation: PushValidation?
    private let hook: ValidationHook?
    private let record: @Sendable (PushRecord) -> Void
    private let limit: Int
    private let ceiling: Int
    private let jobs: WholeZoneJobs
    private let metrics: ServerMetrics
    private let wallMilliseconds: @Sendable () -> Int64
    let health: ZoneHealth

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limit: The number of unused zones that stay open.
    ///   - ceiling: The greatest number of zones that are open at the same time.
    ///   - jobs: The jobs that read a whole zone.
    package init(
        _ backEnd: any BackEnd, limits: ZoneLimits, validation: PushValidation? = nil,
        hook: ValidationHook? = nil, record: @escaping @Sendable (PushRecord) -> Void = { _ in },
        limit: Int = 256, ceiling: Int = .max, jobs: WholeZoneJobs = WholeZoneJobs(),
        metrics: ServerMetrics = ServerMetrics(),
        wallMilliseconds: @escaping @Sendable () -> Int64
    ) {
        self.backEnd = backEnd
        self.limits = limits
        self.validation = validation
        self.hook = hook
        self.record = record
        self.limit = limit
        self.ceiling = max(ceiling, 1)
        self.jobs = jobs
        self.metrics = metrics
        self.wallMilliseconds = wallMilliseconds
        health = ZoneHealth(wallMilliseconds: wallMilliseconds)
    }

    /// Reports to observers from now on what other daemons announce.
    package func listenToOthers() {
        backEnd.exchange?.listen { [weak self] news in try self?.receive(news) }
    }

    /// Reports to observers what another daemon has announced.
    ///
    /// - Parameter news: `nil` if announcements may have been lost: then all observed zones are
    ///   looked at.
    ///
    /// - Throws: The error of a zone that can't be looked at now.
    private func receive(_ news: HeadNews?) throws {
        guard let news else { return try reportHeads() }
        observers(of: news.zone)?.notify(ZoneHead(epoch: news.epoch, position: news.position))
    }

    private func reportHeads() throws {
        var failure: ProtocolError?
        let observed = state.withLock { $0.observers.filter { $0.value.count > 0 } }
        for name in observed.keys {
            do throws(ProtocolError) {
                let head = try withZone(name) { zone throws(ProtocolError) in try zone.head() }
                observers(of: name)?.notify(head)
            } catch  where error.code == .overloaded {
                failure = error
            } catch {
                // Looking again would not help: each request to this zone fails.
            }
        }
        if let failure { throw failure }
    }

    private func observers(of name: ZoneName) -> HeadObservers? {
        state.withLock { $0.observers[name] }
    }

    /// Calls `observer` after every push that made the zone's log grow, also while the zone is
    /// closed in between.
    ///
    /// - Returns: The number of the observer, for ``removeObserver(_:of:)``.
    func addObserver(
        of name: ZoneName, _ observer: @escaping @Sendable (ZoneHead) -> Void
    ) -> UInt64 {
        state.withLock { $0.observers(of: name).add(observer) }
    }

    func removeObserver(_ number: UInt64, of name: ZoneName) {
        state.withLock { state in
            guard let observers = state.observers[name] else { return }
            observers.remove(number)
            // An open zone holds its observers, and others may be added to them.
            if observers.count == 0, state.entries[name] == nil { state.observers[name] = nil }
        }
    }

    /// The zones of the store, also those that are not open.
    func storedZones() throws -> [ZoneName] { try backEnd.zones() }

    /// The number of zones that are open or being opened.
    package var count: Int { state.withLock { $0.entries.count } }

    /// The zones that are open now.
    var opened: [ZoneService] { state.withLock { $0.entries.values.compactMap(\.place.opened) } }

    /// Opens a zone for the time of `body`.
    ///
    /// - Throws: Errors of `body`; `notFound` if there is no such zone; `shuttingDown` after
    ///   ``close()``.
    package func withZone<Result>(
        _ name: ZoneName, _ body: (ZoneService) throws(ProtocolError) -> Result
    ) throws(ProtocolError) -> Result {
        let zone = try retain(name)
        defer { release(name) }
        do {
            return try body(zone)
        } catch {
            health.note(error, of: name)
            throw error
        }
    }

    /// Opens a zone and keeps it open until `release` was called as often as this.
    package func retain(_ name: ZoneName) throws(ProtocolError) -> ZoneService {
        do {
            let (place, observers, idle) = try take(name)
            idle?.close()
            do { return try place.zone { try open(name, observers) } } catch {
                release(name, discarding: true)
                throw error
            }
        } catch {
            let failure = ProtocolError(serving: name, error)
            health.note(failure, of: name)
            throw failure
        }
    }

    private func open(_ name: ZoneName, _ observers: HeadObservers) throws -> ZoneService {
        ZoneService(
            name: name, storage: try backEnd.open(name), limits: limits,
            validation: validation, hook: hook, record: record,
            announce: { [exchange = backEnd.exchange] head in
                exchange?.announce(
                    HeadNews(zone: name, epoch: head.epoch, position: head.position))
            }, jobs: jobs, observers: observers, wallMilliseconds: wallMilliseconds,
            metrics: metrics)
    }

    /// Begins a use of a zone.
    ///
    /// - Returns: The zone's place, its observers, and the place of an idle zone that has to be
    ///   closed first, so that there is room.
    ///
    /// - Throws: ``StorageError`` `closed` after ``close()``, or if the time that a stop allows is
    ///   over; `busy` if as many zones as may be open are in use.
    private func take(_ name: ZoneName) throws -> (Slot, HeadObservers, idle: Slot?) {
        try backEnd.stop.check()
        return try state.withLock { state in
            guard !state.isClosed else {
                throw StorageError(.closed, "The server is stopping.")
            }
            var idle: Slot?
            if state.entries[name] == nil, state.entries.count >= ceiling {
                idle = state.removeIdle()
                guard idle != nil else {
                    throw StorageError(
                        .busy, "\(ceiling) zones are in use, and no more may be open at a time.")
                }
            }
            state.useCount += 1
            var entry = state.entries[name] ?? Entry(place: Slot())
            entry.users += 1
            entry.lastUse = state.useCount
            state.entries[name] = entry
            return (entry.place, state.observers(of: name), idle)
        }
    }

    package func release(_ name: ZoneName) { release(name, discarding: false) }

    /// Ends one use of a zone.
    ///
    /// - Parameter isDiscarded: True if the zone could not be opened.
    private func release(_ name: ZoneName, discarding isDiscarded: Bool) {
        let idle = state.withLock { state -> Slot? in
            state.entries[name]?.users -= 1
            if isDiscarded, state.entries[name]?.users == 0 { state.remove(name) }
            return state.entries.count > limit ? state.removeIdle() : nil
        }
        idle?.close()
    }

    /// Lets the work of all zones run for a while from now on; what then still runs fails with
    /// `shuttingDown` and changes nothing.
    package func beginStop(allowing duration: Duration) { backEnd.stop.begin(allowing: duration) }

    package func close() {
        let places = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return state.entries.values.map(\.place)
        }
        for place in places { place.close() }
    }
}

extension OpenZones.State {
    /// The observers of a zone, which its openings share.
    fileprivate mutating func observers(of name: ZoneName) -> HeadObservers {
        if let found = observers[name] { return found }
        let made = HeadObservers()
        observers[name] = made
        return made
    }

    /// Removes a zone, and its observers if there are none.
    fileprivate mutating func remove(_ name: ZoneName) {
        entries[name] = nil
        if observers[name]?.count == 0 { observers[name] = nil }
    }

    /// Removes the unused zone that was used longest ago.
    ///
    /// - Returns: Its place, to be closed; `nil` if all zones are in use.
    fileprivate mutating func removeIdle() -> OpenZones.Slot? {
        let unused = entries.lazy.filter { $0.value.users == 0 }
        guard let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return nil
        }
        remove(oldest.key)
        return oldest.value.place
    }
}
