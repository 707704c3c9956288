import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of one save that is much larger than the memory which either end may use.
@Suite(.waiting) struct HugeSaveTests {
    /// The number of records of one kilobyte: 40,000, or the value of `ANABRANCH_HUGE`.
    private static let recordCount =
        ProcessInfo.processInfo.environment["ANABRANCH_HUGE"].flatMap { Int($0) } ?? 40_000
    /// The size of one additional value.
    private static let blobBytes = 8 << 20
    /// The memory limit of a process, for a save of any size: the base use, a few parts in the
    /// forms that they take, and SQLite's caches.
    private static let maximumBytes = 256 << 20

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("huge") }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Page") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("number", .integer64)
                AttributeDeclaration("image", .binary)
            }
        }
    }

    /// Returns text without repetitions, so that compression does not shrink it.
    private static func text(_ generator: inout SeededGenerator) -> PropertyValue {
        var text = ""
        text.reserveCapacity(1024)
        while text.utf8.count < 1000 { text += String(generator.next(), radix: 36) }
        return .string(text)
    }

    private func save(_ store: Store) throws {
        let page = try #require(store.model.entity(named: "Page"))
        let slots = try ["text", "number", "image"].map {
            try #require(page.slotIndex(named: $0))
        }
        var generator = SeededGenerator(seed: 18)
        let rows = try store.reserveNumbers(Self.recordCount).map { id in
            var row = [PropertyValue](repeating: .null, count: page.slots.count)
            row[slots[0]] = Self.text(&generator)
            row[slots[1]] = .integer(id)
            return (id: id, slots: row)
        }
        var image = [PropertyValue](repeating: .null, count: page.slots.count)
        image[slots[2]] = .data(
            Data((0..<Self.blobBytes).map { UInt8(truncatingIfNeeded: $0 / 7) }))
        var request = SaveRequest(author: "import")
        request.inserts = [
            .init(entity: page, rows: rows + [(try store.reserveNumbers(1).lowerBound, image)])
        ]
        _ = try store.save(request)
    }

    private func sync(_ path: String, _ daemon: DaemonUnderTest) throws -> Int {
        let client = try ChildProcess(
            try BuiltProducts.executable("anabranch"),
            ["sync", path, "--server", daemon.url.absoluteString, "--zone", DaemonUnderTest.zone],
            environment: ["ANABRANCH_TOKEN": daemon.token],
            log: folder.url.appending(path: "client.log"))
        let (status, peak) = client.waitWatchingMemory()
        #expect(status == 0)
        return peak
    }

    @Test(.long)
    func `a save much larger than the memory of both ends arrives whole`() throws {
        let (a, b) = (folder.file("a.store"), folder.file("b.store"))
        let model = try Self.model()
        try Store.open(at: b, model: model).close()
        let author = try Store.open(at: a, model: model)
        try save(author)
        let hash = try author.canonicalHash()
        let pending = try #require(try author.pending(byteLimit: 1).first)
        #expect(try pending.changeSet.parts().count > 4)
        #expect(pending.changeSet.savedBytes > Self.recordCount * 1000 + Self.blobBytes)
        author.close()
        let daemon = try DaemonUnderTest(in: folder)
        let pushing = try sync(a, daemon)
        let pulling = try sync(b, daemon)
        let serving = daemon.peakBytes
        print(
            "huge save: daemon \(serving >> 20) MiB, push \(pushing >> 20), pull \(pulling >> 20)")
        for peak in [serving, pushing, pulling] { #expect((1...Self.maximumBytes).contains(peak)) }
        let store = try Store.open(at: b, model: model)
        #expect(try store.canonicalHash() == hash)
        store.close()
        #expect(daemon.stop() == 0)
        #expect(try daemon.hash() == "\(hash)")
    }
}
