import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of one value that is much larger than an ordinary request, page or part, on every way that
/// a value takes. The tests run one at a time, because they measure memory.
@Suite(.waiting, .serialized) struct HugeValueTests {
    /// The size of the value from `ANABRANCH_HUGE_VALUE`.
    private static let givenBytes =
        ProcessInfo.processInfo.environment["ANABRANCH_HUGE_VALUE"].flatMap { Int($0) }
    /// The memory limit of a process that only passes the value on.
    private static let maximumBytesInPieces = 128 << 20

    private let folder: TemporaryDirectory
    private let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryDirectory("huge-value")
        model = try ManagedObjectModel {
            EntityDeclaration("Film") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("content", .binary)
            }
        }
    }

    /// Returns the memory limit of a process: the base use with SQLite's caches, and the three
    /// forms of the value at a zone's row.
    private func maximumBytes(_ valueBytes: Int) -> Int { 128 << 20 + valueBytes * 13 / 4 }

    /// Returns bytes without repetitions within a request, so that compression does not shrink
    /// them.
    private static func content(_ byteCount: Int) -> Data {
        var generator = SeededGenerator(seed: 500)
        var block = Data(capacity: 2 << 20)
        while block.count < 2 << 20 {
            withUnsafeBytes(of: generator.next()) { block.append(contentsOf: $0) }
        }
        var content = Data(capacity: byteCount)
        while content.count < byteCount { content += block.prefix(byteCount - content.count) }
        return content
    }

    /// - Returns: The hash of the state.
    private func save(_ byteCount: Int, into path: String) throws -> Digest {
        let store = try Store.open(at: path, model: model)
        defer { store.close() }
        let film = try #require(store.model.entity(named: "Film"))
        var row = [PropertyValue](repeating: .null, count: film.slots.count)
        row[try #require(film.slotIndex(named: "content"))] = .data(Self.content(byteCount))
        row[try #require(film.slotIndex(named: "title"))] = .string("The longest one")
        var request = SaveRequest(author: "import")
        request.inserts = [
            .init(entity: film, rows: [(try store.reserveNumbers(1).lowerBound, row)])
        ]
        _ = try store.save(request)
        return try store.canonicalHash()
    }

    /// - Returns: The peak memory of the program that was observed.
    @discardableResult
    private func run(
        _ words: String..., program: String = "anabranch", on daemon: DaemonUnderTest,
        within limit: Int
    ) throws -> Int {
        let start = ContinuousClock.now
        let process = try ChildProcess(
            try BuiltProducts.executable(program), words,
            environment: ["ANABRANCH_TOKEN": daemon.token],
            log: folder.url.appending(path: "commands.log"))
        let (status, peak) = process.waitWatchingMemory()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let name = words.prefix(2).joined(separator: " ")
        print("huge value: \(name): \(String(format: "%.1f", seconds)) s, \(peak >> 20) MiB")
        let log = try String(
            contentsOf: folder.url.appending(path: "commands.log"), encoding: .utf8)
        #expect(status == 0, "\(log)")
        #expect((1...limit).contains(peak), "\(name) has had \(peak >> 20) MiB")
        return peak
    }

    private func sync(_ path: String, _ daemon: DaemonUnderTest, within limit: Int) throws {
        try run(
            "sync", path, "--server", daemon.url.absoluteString, "--zone", DaemonUnderTest.zone,
            on: daemon, within: limit)
        print("huge value: daemon \(daemon.peakBytes >> 20) MiB")
    }

    private func hash(_ path: String) throws -> Digest {
        let store = try Store.open(at: path, model: model)
        defer { store.close() }
        return try store.canonicalHash()
    }

    /// The default is 300 MB, which is more than a change set holds.
    @Test(.long)
    func `a value of hundreds of megabytes goes through the zone's log`() throws {
        let byteCount = Self.givenBytes ?? 300_000_000
        let (a, b) = (folder.file("a.store"), folder.file("b.store"))
        try Store.open(at: b, model: model).close()
        let hash = try save(byteCount, into: a)
        let daemon = try DaemonUnderTest(in: folder)
        try sync(a, daemon, within: Self.maximumBytesInPieces)
        try sync(b, daemon, within: maximumBytes(byteCount))
        #expect((1...maximumBytes(byteCount)).contains(daemon.peakBytes))
        #expect(try self.hash(b) == hash)
        try run("verify", b, on: daemon, within: maximumBytes(byteCount))
        #expect(daemon.stop() == 0)
        #expect(try daemon.hash().trimmingCharacters(in: .newlines) == "\(hash)")
    }

    /// The default is 64 MB, which is more than an answer holds.
    @Test(.long)
    func `a value that no answer holds comes by snapshot and bundle`() throws {
        let byteCount = Self.givenBytes ?? 64_000_000
        let (a, b, c) = (folder.file("a.store"), folder.file("b.store"), folder.file("c.store"))
        for path in [b, c] { try Store.open(at: path, model: model).close() }
        let hash = try save(byteCount, into: a)
        let daemon = try DaemonUnderTest(in: folder)
        try sync(a, daemon, within: Self.maximumBytesInPieces)
        #expect(daemon.stop() == 0)
        // A client that joins now receives the state instead of the log.
        try run(
            "zone", "compact", DaemonUnderTest.zone, "--keep", "0", "--store",
            "sqlite:\(folder.file("zones"))", program: "anabranchd", on: daemon,
            within: maximumBytes(byteCount))
        try daemon.start()
        try sync(b, daemon, within: maximumBytes(byteCount))
        #expect((1...Self.maximumBytesInPieces).contains(daemon.peakBytes))
        #expect(try self.hash(b) == hash)
        let bundle = folder.file("all.bundle")
        try run("bundle", "create", a, bundle, on: daemon, within: Self.maximumBytesInPieces)
        try run("bundle", "apply", c, bundle, on: daemon, within: maximumBytes(byteCount))
        #expect(try self.hash(c) == hash)
    }
}
