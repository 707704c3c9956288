import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct `Processes that share a store` {
    private static let saves: Int =
        switch TestLength.current {
        case .quick: 50
        case .usual: 500
        case .long: 10_000
        }
    private static let kills: Int =
        switch TestLength.current {
        case .quick: 3
        case .usual: 20
        case .long: 500
        }

    private let folder: TemporaryDirectory
    private var path: String { folder.file("shared.anabranch") }

    init() throws {
        folder = try TemporaryDirectory("shared")
        try Store.open(at: path, model: try NotesModel.make()).close()
    }

    @Test(.timeLimit(.minutes(30)))
    func `continue one history when they save in turns`() throws {
        let workers = try (1...2).map { try start(seed: $0) }
        for worker in workers { #expect(worker.waitWatchingMemory().status == 0) }
        let sets = try history()
        #expect(sets.count == 2 * Self.saves)
        expectOneHistory(sets)
    }

    @Test(.timeLimit(.minutes(30)))
    func `continue one history when some are killed`() throws {
        var generator = SeededGenerator(seed: UInt64(Date().timeIntervalSince1970 * 1000))
        for seed in 0..<Self.kills {
            let worker = try start(seed: 2 * seed)
            let victim = try start(seed: 2 * seed + 1)
            usleep(UInt32.random(in: 1_000...200_000, using: &generator))
            worker.kill()
            victim.kill()
        }
        let confirmed = try (0..<2 * Self.kills).map { try ledgerCount(seed: $0) }.reduce(0, +)
        let sets = try history()
        print("\(confirmed) saves confirmed, \(sets.count) saved, \(2 * Self.kills) killed")
        #expect((confirmed...confirmed + 2 * Self.kills).contains(sets.count))
        expectOneHistory(sets)
    }

    private func start(seed: Int) throws -> ChildProcess {
        try ChildProcess(
            try BuiltProducts.executable("SyncWorker"), [path, "\(Self.saves)", "\(seed)"],
            log: folder.url.appending(path: "worker.log"))
    }

    /// The number of saves that a process knew to be in the store.
    private func ledgerCount(seed: Int) throws -> Int {
        let file = URL(filePath: "\(path).\(seed)")
        // A process that was killed early has none.
        guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
        return try Data(contentsOf: file).count
    }

    private func history() throws -> [ChangeSet] {
        let store = try Store.open(at: path, model: try NotesModel.make())
        defer { store.close() }
        #expect(try store.check().isValid)
        return try store.read { try $0.changeSets(after: 0, limit: .max).map(\.changeSet) }
    }

    /// Expects one replica's change sets without a gap, each after the one before it.
    private func expectOneHistory(_ sets: [ChangeSet]) {
        #expect(Set(sets.map(\.dot.replica)).count == 1)
        #expect(sets.map(\.dot.sequence) == sets.indices.map { UInt64($0) + 1 })
        for (former, next) in zip(sets, sets.dropFirst()) {
            #expect(former.timestamp < next.timestamp && next.previousOrigin == former.origin)
        }
    }
}
