import Anabranch
import AnabranchSync
import Foundation

/// Merges concurrent changes of three replicas through the real server.
///
/// Each replica changes two columns of the same rows, one of them the same column as the other
/// replicas.
struct MergeBenchmark: Benchmark {
    static let name = "merge"
    static let summary = "concurrent edits of three replicas, all merged with all"

    private static let rows = 10_000
    /// The number of changed columns in one row on one replica.
    private static let edits = 2

    private struct Round {
        var merges: Duration = .zero
        /// The bytes of each push: its bodies before compression, and everything that was sent.
        var bodyBytes: [Int] = []
        var wireBytes: [Int] = []
    }

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        let relay = try CountingRelay(to: daemon.address)
        var rounds: [Round] = []
        for number in 0..<workbench.rounds {
            rounds.append(try await run(number, workbench, daemon, relay))
        }
        // Each replica merges the changes of the other two.
        let merged = 3 * 2 * Self.rows * Self.edits
        let seconds = rounds.map(\.merges).median.seconds
        return [
            Figure(
                "changes merged", .rate(Double(merged) / seconds), goal: 450_000,
                cause: """
                    SQLite takes 58 % of the time: a fifth of all for the conflict journal, the
                    rest for reading rows, writing them, and commits. Comparing stamps and making
                    rows takes 18 %, gathering what is reported to contexts 7 %.
                    """),
            Figure(
                "a change on the wire", .amount(bytes(rounds.flatMap(\.wireBytes)), unit: "bytes"),
                goal: 5),
            Figure(
                "before it is compressed",
                .amount(bytes(rounds.flatMap(\.bodyBytes)), unit: "bytes")),
        ]
    }

    /// The bytes of the median push for each of its changes.
    private func bytes(_ pushes: [Int]) -> Double {
        Double(pushes.sorted()[pushes.count / 2]) / Double(Self.rows * Self.edits)
    }

    private func run(
        _ number: Int, _ workbench: Workbench, _ daemon: BenchDaemon, _ relay: CountingRelay
    ) async throws -> Round {
        let zone = "merge\(number)"
        let token = try daemon.token(forZone: zone)
        let containers = try (0..<3).map {
            try PartStore.open(workbench.path("merge\(number)-\($0)"))
        }
        let engines = try containers.map {
            try SyncBenchmark.engine($0, relay.address, zone, token)
        }
        try PartStore.fill(containers[0], count: Self.rows)
        for engine in engines { _ = try await engine.synchronize() }
        for (index, container) in containers.enumerated() {
            try PartStore.edit(container, as: index)
        }
        var round = Round()
        // After three syncs the last replica has all changes; the first two then pull the rest.
        for (turn, index) in [0, 1, 2, 0, 1].enumerated() {
            let before = relay.sentByteCount
            let outcome = try await engines[index].synchronize()
            round.merges += outcome.applyDuration
            if turn < 3 {
                round.bodyBytes.append(outcome.sentByteCount)
                round.wireBytes.append(relay.sentByteCount - before)
            }
            guard outcome.blockedBy == nil else { throw Unexpected("a push was blocked") }
        }
        try Self.checkEqual(containers)
        return round
    }

    private static func checkEqual(_ containers: [PersistentContainer]) throws {
        let hashes = try containers.map { try $0.coordinator.canonicalHash() }
        guard Set(hashes).count == 1 else { throw Unexpected("the replicas differ") }
    }
}

/// A store of parts with five attributes, four of which are edited.
private enum PartStore {
    static func open(_ path: String) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            EntityDeclaration("Part") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("quantity", .integer64)
                AttributeDeclaration("price", .integer64)
                AttributeDeclaration("width", .double)
                AttributeDeclaration("label", .string)
            }
        }
        let container = PersistentContainer(model: model, url: URL(fileURLWithPath: path))
        try container.load()
        return container
    }

    static func fill(_ container: PersistentContainer, count: Int) throws {
        try container.newBackgroundContext().performAndWait { context in
            for row in 0..<count {
                let part = try context.insert("Part")
                try part.setValue(.string("Part \(row)"), forKey: "name")
                try part.setValue(.integer(0), forKey: "quantity")
                try part.setValue(.integer(0), forKey: "price")
                try part.setValue(.double(0), forKey: "width")
                try part.setValue(.string("new"), forKey: "label")
            }
            try context.save()
        }
    }

    /// Saves one change set: the quantity, and a column that only this replica changes.
    static func edit(_ container: PersistentContainer, as replica: Int) throws {
        let property = ["price", "width", "label"][replica]
        try container.newBackgroundContext().performAndWait { context in
            for (row, part) in try context.fetch(FetchRequest<ManagedObject>(entityName: "Part"))
                .enumerated()
            {
                let draw = scattered(row, replica)
                let value: PropertyValue =
                    switch replica {
                    case 0: .integer(draw % 100_000)
                    case 1: .double(Double(draw % 1000) / 10)
                    default: .string("Label \(draw % 500)")
                    }
                try part.setValue(.integer(draw % 1000), forKey: "quantity")
                try part.setValue(value, forKey: property)
            }
            try context.save()
        }
    }

    /// A number that is the same in every run, without any order.
    private static func scattered(_ row: Int, _ replica: Int) -> Int64 {
        var number = UInt64(row * 3 + replica) &* 0x9E37_79B9_7F4A_7C15
        number ^= number >> 29
        number &*= 0xBF58_476D_1CE4_E5B9
        return Int64(number >> 33)
    }
}
