import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Damage to the file of a store fails the operations that read it, by errors with a code, and
/// never ends the program.
@Suite struct DamagedStoreTests {
    /// The hostile values are divided among this many runs of the test. A long test run has all.
    private static let divisor: UInt64 = 256
    private static let parts = TestLength.seeds(TestLength.current == .long ? divisor : 64)

    private func place(_ sample: DamagedStoreSample) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory("damaged")
        try sample.store.write(to: URL(filePath: folder.file("a.db")))
        try sample.zone.write(to: URL(filePath: folder.file("zone.db")))
        try sample.bundle.write(to: URL(filePath: folder.file("bundle")))
        return folder
    }

    private func use(
        _ folder: TemporaryDirectory, _ sample: DamagedStoreSample, _ damage: String
    ) async throws {
        let use = StoreUse(in: folder, at: sample.milliseconds)
        try await use.run()
        for (operation, error) in use.errors {
            // Such errors do not say which store it is. A rejected save throws the second one.
            let isTyped =
                !(error is SQLiteError)
                && (!(error is ChangeSetDecodingError) || operation == "rejected")
            #expect(isTyped, "\(damage): \(operation): \(error)")
        }
    }

    @Test func `the sample can be used, and its tables have rows`() async throws {
        let sample = try await DamagedStoreSample.shared.value
        let folder = try place(sample)
        let connection = try Connection(path: folder.file("a.db"))
        for row in try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'ab_%'")
        {
            guard case .text(let table) = row[0] else { continue }
            let count = try connection.firstValue("SELECT count(*) FROM \(table)")
            #expect(count != .integer(0), "\(table)")
        }
        connection.close()
        let use = StoreUse(in: folder, at: sample.milliseconds)
        try await use.run()
        // A deleted record can't be restored.
        let errors = use.errors.filter { $0.key != "restore" }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test(arguments: Self.parts)
    func `a hostile value in any column never ends the program`(part: UInt64) async throws {
        let sample = try await DamagedStoreSample.shared.value
        let whole = try place(sample)
        let connection = try Connection(path: whole.file("a.db"))
        let all = try StoredDamage.all(in: connection)
        connection.close()
        for (number, damage) in all.enumerated() where UInt64(number) % Self.divisor == part {
            let folder = try place(sample)
            let connection = try Connection(path: folder.file("a.db"))
            try connection.execute("PRAGMA trusted_schema = ON")
            let hasChanged = (try? damage.apply(to: connection)) ?? false
            connection.close()
            guard hasChanged else { continue }
            try await use(folder, sample, "\(damage)")
        }
    }

    @Test(arguments: TestLength.seeds(64))
    func `a damaged byte of the file never ends the program`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let sample = try await DamagedStoreSample.shared.value
        for _ in 0..<4 {
            let folder = try place(sample)
            var damaged = sample.store
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 100..<damaged.count, using: &generator)
                damaged[place] = UInt8.random(in: 0...255, using: &generator)
            }
            try damaged.write(to: URL(filePath: folder.file("a.db")))
            try await use(folder, sample, "seed \(seed)")
        }
    }
}
