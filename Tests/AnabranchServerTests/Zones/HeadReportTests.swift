import AnabranchProtocol
import AnabranchReplication
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of what a daemon does when announcements of other daemons may have been lost.
@Suite struct HeadReportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("zones") }

    /// Opens a zone, and listens to what other daemons announce.
    private func listening() throws -> (UnsteadyBackEnd, OpenZones, ZoneService) {
        let backEnd = try UnsteadyBackEnd(directory.path)
        let name = try ZoneName("a")
        try backEnd.makeZone(name)
        let zones = OpenZones(
            backEnd, limits: ZoneLimits(),
            wallMilliseconds: ServerEnvironment.system.wallMilliseconds)
        zones.listenToOthers()
        return (backEnd, zones, try zones.retain(name))
    }

    @Test func `a look at heads that the database prevents is asked for again`() throws {
        let (backEnd, zones, zone) = try listening()
        defer { zones.close() }
        let heard = Mutex(0)
        _ = zone.addObserver { _ in heard.withLock { $0 += 1 } }

        backEnd.isUnavailable.withLock { $0 = true }
        #expect {
            try backEnd.news.report(nil)
        } throws: {
            ($0 as? ProtocolError)?.code == .overloaded
        }
        #expect(heard.withLock { $0 } == 0)

        backEnd.isUnavailable.withLock { $0 = false }
        try backEnd.news.report(nil)
        #expect(heard.withLock { $0 } == 1)
    }

    @Test func `a zone that can't be read at all is not looked at again`() throws {
        let (backEnd, zones, zone) = try listening()
        defer { zones.close() }
        _ = zone.addObserver { _ in Issue.record("a zone that can't be read has no head") }
        backEnd.failure.withLock { $0 = .damaged }
        backEnd.isUnavailable.withLock { $0 = true }
        try backEnd.news.report(nil)
    }
}

/// Announcements that a test makes.
private final class TestNews: HeadExchange {
    private let receive = Mutex<(@Sendable (HeadNews?) throws -> Void)?>(nil)

    func announce(_ news: HeadNews) {}
    func listen(_ receive: @escaping @Sendable (HeadNews?) throws -> Void) {
        self.receive.withLock { $0 = receive }
    }
    func report(_ news: HeadNews?) throws { try receive.withLock { $0 }?(news) }
    func close() {}
}

/// A back end with files and with zones that can't be read now and then.
private final class UnsteadyBackEnd: BackEnd {
    let news = TestNews()
    let isUnavailable = Mutex(false)
    let failure = Mutex(StorageError.Code.unavailable)
    private let files: SQLiteBackEnd

    init(_ directory: String) throws {
        files = try SQLiteBackEnd(directory: directory, environment: .system)
    }

    var exchange: (any HeadExchange)? { news }
    var tokens: any TokenStore { files.tokens }
    var stop: StopSignal { files.stop }
    func zones() throws -> [ZoneName] { try files.zones() }
    func makeZone(_ name: ZoneName) throws { try files.makeZone(name) }
    func open(_ name: ZoneName) throws -> any ZoneStorage {
        UnsteadyStorage(self, try files.open(name))
    }
    func checkIsReady() throws {}
    func lockForServing() throws {}
    func lockForMoving() throws {}
    func markMoved(to location: String) throws {}
    func close() { files.close() }
}

private final class UnsteadyStorage: ZoneStorage {
    private let backEnd: UnsteadyBackEnd
    private let storage: any ZoneStorage

    init(_ backEnd: UnsteadyBackEnd, _ storage: any ZoneStorage) {
        self.backEnd = backEnd
        self.storage = storage
    }

    func read<Result>(_ body: (any ZoneReading) throws -> Result) throws -> Result {
        guard !backEnd.isUnavailable.withLock({ $0 }) else {
            throw StorageError(backEnd.failure.withLock { $0 }, "The test prevents it.")
        }
        return try storage.read(body)
    }

    func write<Result>(
        _ needs: ZoneNeeds, _ body: (ZoneDraft) throws -> Result
    ) throws -> Result {
        try storage.write(needs, body)
    }

    func damage() throws -> [String] { try storage.damage() }
    var stop: StopSignal { storage.stop }
    var snapshots: any SnapshotStorage { storage.snapshots }
    func close() { storage.close() }
}
