import Foundation
import TestSupport
import Testing

@testable import AnabranchStore

/// Tests of the thread that copies the write-ahead log into the file.
struct CheckpointerTests {
    private let scenario: StoreScenario
    /// A page with its header in the log.
    private let frameBytes = 4096 + 24

    init() throws { scenario = try StoreScenario() }

    private func pages(_ suffix: String = "-wal") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(
            atPath: scenario.path("a") + suffix)
        return try #require(attributes[.size] as? Int) / frameBytes
    }

    /// Saves of 25 pages each.
    private func save(_ count: Int, in store: Store) throws {
        for number in 0..<count {
            try store.insertPerson("\(number)" + String(repeating: "x", count: 100_000))
        }
    }

    @Test func `copies the log on its own thread, and loses nothing`() async throws {
        let store = try scenario.open("a")
        try save(60, in: store)
        // Until the thread has copied the log, the file has the pages of an empty store only.
        let end = ContinuousClock.now + .seconds(60)
        while try pages("") < 1000, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try pages("") >= 1000)
        let hash = try store.canonicalHash()
        store.close()
        let again = try scenario.open("a")
        #expect(try again.canonicalHash() == hash && again.check().isValid)
    }

    @Test func `leaves a short log alone`() throws {
        let store = try scenario.open("a")
        try save(10, in: store)
        #expect(try pages("") < 200 && pages() > 200)
    }

    @Test func `lets the log begin anew while saves go on`() throws {
        let store = try scenario.open("a")
        for _ in 0..<8 {
            try save(100, in: store)
            #expect(try pages() < Checkpointer.longest + 100)
        }
        #expect(try store.check().isValid)
    }

    @Test func `asks again only for more pages while a reader keeps the log`() {
        var state = Checkpointer.State()
        var (here, elsewhere) = (0, 0)
        // Saves of five pages each, and nothing can be copied.
        for pages in stride(from: 5, through: 100_000, by: 5) {
            switch Checkpointer.step(&state, pages) {
            case .none: break
            case .here: here += 1
            case .elsewhere:
                elsewhere += 1
                (state.isRunning, state.copied) = (false, pages)
            }
        }
        #expect(here + elsewhere <= 50 && here > 40)
        // The log begins anew.
        #expect(Checkpointer.step(&state, 5) == .none)
        #expect(Checkpointer.step(&state, Checkpointer.usual) == .elsewhere)
    }

    @Test func `does not keep a closed file open`() throws {
        let store = try scenario.open("a")
        try save(60, in: store)
        store.close()
        // The last connection removes the log.
        #expect(!FileManager.default.fileExists(atPath: scenario.path("a") + "-wal"))
    }
}
