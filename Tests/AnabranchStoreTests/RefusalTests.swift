import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// A file that this program can't open as a store.
enum RefusedFile: String, CaseIterable {
    case text, shortText, otherProgram, otherProgramWithLog, otherApplication, otherModel
    case newerFormat, newerFormatOfAnotherShape, damagedHeader, damagedFirstPage, cutShort
    case unreleasedFormat, developmentBuild, withoutState, withoutStateTable, withoutModel,
        damagedModel

    var code: StoreError.Code {
        switch self {
        case .text, .shortText, .otherProgram, .otherProgramWithLog, .otherApplication,
            .damagedHeader:
            .notAStore
        case .otherModel: .migrationNotInferred
        case .newerFormat, .newerFormatOfAnotherShape: .newerFormat
        default: .corrupt
        }
    }

    func make(_ name: String, in scenario: StoreScenario) throws {
        let url = URL(filePath: scenario.path(name))
        switch self {
        case .text: try Data(repeating: 0x61, count: 5000).write(to: url)
        case .shortText: try Data("not a store".utf8).write(to: url)
        case .otherProgram: try scenario.sql(name, "CREATE TABLE notes (text)")
        case .otherProgramWithLog: try makeWithLog(name, in: scenario)
        case .otherApplication: try scenario.sql(name, "PRAGMA application_id = 7")
        case .otherModel:
            let model = try ManagedObjectModel {
                EntityDeclaration("Planet") { AttributeDeclaration("x", .string) }
            }
            try Store.open(at: scenario.path(name), model: model).close()
        default:
            try scenario.open(name).insertPerson("Anna")
            try damage(name, in: scenario)
        }
    }

    private func damage(_ name: String, in scenario: StoreScenario) throws {
        try scenario.sql(name, "PRAGMA wal_checkpoint(TRUNCATE)")
        switch self {
        case .newerFormat: try scenario.sql(name, "UPDATE ab_state SET format = 2")
        case .newerFormatOfAnotherShape:
            try scenario.sql(name, "UPDATE ab_state SET format = 2")
            try scenario.sql(name, "ALTER TABLE ab_state RENAME COLUMN clock TO clocks")
        case .damagedHeader:
            try scenario.overwrite(name, at: 0, with: [UInt8](repeating: 0x7A, count: 16))
        case .damagedFirstPage:
            try scenario.overwrite(name, at: 100, with: [UInt8](repeating: 0xA5, count: 900))
        case .cutShort:
            let file = try FileHandle(forUpdating: URL(filePath: scenario.path(name)))
            try file.truncate(atOffset: 8192)
            try file.close()
        case .unreleasedFormat: try scenario.sql(name, "UPDATE ab_state SET format = 0")
        case .developmentBuild: try scenario.sql(name, "ALTER TABLE ab_stamp DROP COLUMN seq")
        case .withoutState: try scenario.sql(name, "DELETE FROM ab_state")
        case .withoutStateTable: try scenario.sql(name, "DROP TABLE ab_state")
        case .withoutModel: try scenario.sql(name, "DELETE FROM ab_meta")
        default: try scenario.sql(name, "UPDATE ab_meta SET value = x'010203' WHERE key = 'model'")
        }
    }

    /// Creates a file as a process leaves it that dies: its last writes are only in the write-ahead
    /// log.
    private func makeWithLog(_ name: String, in scenario: StoreScenario) throws {
        let connection = try Connection(path: scenario.path("live"))
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)")
        try scenario.copy("live", to: name)
        connection.close()
    }
}

@Suite struct `A file that is refused` {
    @Test(arguments: RefusedFile.allCases)
    func `is reported by its code and left as it is`(file: RefusedFile) throws {
        let scenario = try StoreScenario()
        try file.make("a", in: scenario)
        let before = scenario.bytes("a")
        let error = storeError { _ = try scenario.open("a") }
        #expect(error?.code == file.code, "\(error.map { "\($0)" } ?? "opened")")
        #expect(error?.path == scenario.path("a"))
        #expect(scenario.bytes("a") == before)
    }

    @Test func `a store of a newer format with a log is left as it is`() throws {
        let scenario = try StoreScenario()
        let live = try scenario.open("live")
        try live.insertPerson("Anna")
        try scenario.sql("live", "UPDATE ab_state SET format = 2")
        try scenario.copy("live", to: "a")
        let before = scenario.bytes("a")
        #expect(before[1].count > 0)
        #expect(storeError { _ = try scenario.open("a") }?.code == .newerFormat)
        #expect(scenario.bytes("a") == before)
    }

    @Test func `another model is refused by the name of what differs`() throws {
        let scenario = try StoreScenario()
        try RefusedFile.otherModel.make("a", in: scenario)
        let error = storeError { _ = try scenario.open("a") }
        #expect(error?.entity == "Person")
    }

    @Test func `a damaged page of rows is reported when it is read`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let ids = try store.insertPeople(2000)
        store.close()
        try scenario.sql("a", "PRAGMA wal_checkpoint(TRUNCATE)")
        let page = try scenario.sql(
            "a", "SELECT pageno FROM dbstat WHERE name = 'Person' AND pagetype = 'leaf' LIMIT 1")
        guard case .integer(let number)? = page.first?.first else {
            Issue.record("the table has no page of its own")
            return
        }
        try scenario.overwrite(
            "a", at: (Int(number) - 1) * 4096, with: [UInt8](repeating: 0xA5, count: 4096))
        let error = storeError {
            let damaged = try scenario.open("a")
            try damaged.read { try $0.rows(of: scenario.person, ids: ids) { _ in } }
        }
        #expect(error?.code == .corrupt)
    }

    @Test(arguments: ["x'FFFF'", "x'0001'", "x''", "x'FFFFFFFFFFFFFFFFFFFF01'", "'text'"])
    func `damaged writes of a row are reported as damage`(writes: String) throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let anna = try store.insertPerson("Anna")
        try scenario.sql("a", "UPDATE Person SET ab_writes = \(writes)")
        #expect(storeError { _ = try store.canonicalHash() }?.code == .corrupt)
        #expect(storeError { try store.set("age", .integer(1), of: anna) }?.code == .corrupt)
    }

    @Test(arguments: ["-1", "0", "\(Int64.max)", "'text'"])
    func `a version that is no position of the log is reported as damage`(version: String) throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let anna = try store.insertPerson("Anna")
        try scenario.sql("a", "UPDATE Person SET ab_version = \(version)")
        #expect(storeError { _ = try store.canonicalHash() }?.code == .corrupt)
        #expect(storeError { try store.set("age", .integer(1), of: anna) }?.code == .corrupt)
    }

    @Test func `a version beyond the log is reported even if change sets differ`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let anna = try store.insertPerson("Anna")
        try store.set("age", .integer(1), of: anna)
        try scenario.sql("a", "UPDATE Person SET ab_version = \(Int64.max)")
        #expect(storeError { try store.set("age", .integer(2), of: anna) }?.code == .corrupt)
    }

    @Test func `a damaged log entry is reported as damage`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        try scenario.sql("a", "UPDATE ab_changeset SET context = x'FF'")
        #expect(storeError { _ = try store.pending(byteLimit: 1) }?.code == .corrupt)
    }
}
