import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the features that only the file back end has.
@Suite struct SQLiteZoneStorageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("storage") }

    private func open(_ name: String, creating: Bool = false) throws -> SQLiteZoneStorage {
        try SQLiteZoneStorage(path: directory.file(name), creating: creating) {
            EpochID(high: 1, low: 2)
        }
    }

    private func code(_ body: () throws -> Void) -> StorageError.Code? {
        do { try body() } catch { return (error as? StorageError)?.code }
        return nil
    }

    @Test func `a file that is missing is not made unless that is asked for`() throws {
        #expect(code { _ = try open("a.sqlite") } == .noSuchZone)
        #expect(!FileManager.default.fileExists(atPath: directory.file("a.sqlite")))
    }

    @Test(arguments: [
        ("PRAGMA user_version = 2", StorageError.Code.newerFormat),
        ("PRAGMA user_version = 0", .olderFormat),
        ("ALTER TABLE acknowledgement DROP COLUMN seen", .damaged),
        ("DROP TABLE stage", .damaged),
    ])
    func `a file of another format, or of a development build, is left as it is`(
        _ change: String, _ expected: StorageError.Code
    ) throws {
        try open("a.sqlite", creating: true).close()
        let connection = try Connection(path: directory.file("a.sqlite"))
        try connection.execute(change)
        connection.close()
        let before = FileManager.default.contents(atPath: directory.file("a.sqlite"))
        #expect(code { _ = try open("a.sqlite") } == expected)
        #expect(FileManager.default.contents(atPath: directory.file("a.sqlite")) == before)
    }

    /// The next format of a file that a released program wrote, as a later program makes it.
    private func next(_ format: TableFormat, adding script: String) -> TableFormat {
        TableFormat(
            creation: format.creation + script, steps: format.steps + [script])
    }

    @Test func `a step brings a zone's file into the next format, which this program refuses`()
        throws
    {
        try open("a.sqlite", creating: true).close()
        let connection = try Connection(path: directory.file("a.sqlite"))
        let later = next(ZoneSchema.tables, adding: "ALTER TABLE zone ADD COLUMN made_up INTEGER;")
        for _ in 0..<2 {
            #expect(try connection.transaction { try ZoneSchema.check(connection, by: later) })
            #expect(try connection.integer("SELECT count(*) FROM zone WHERE made_up IS NULL") == 1)
            #expect(try connection.integer("PRAGMA user_version") == 2)
        }
        connection.close()
        #expect(code { _ = try open("a.sqlite") } == .newerFormat)
    }

    @Test func `a step brings a file of tokens into the next format`() throws {
        let path = directory.file("tokens.sqlite")
        let open = {
            try SQLiteTokenStore(
                path: path, wallMilliseconds: { 0 },
                randomBytes: ServerEnvironment.system.randomBytes)
        }
        let store = try open()
        _ = try store.create(for: ZonePattern(ZoneName("a")), role: .read, expires: nil)
        store.close()
        let connection = try Connection(path: path)
        let later = next(
            SQLiteTokenStore.tables, adding: "ALTER TABLE token ADD COLUMN made_up INTEGER;")
        #expect(try connection.transaction { try later.update(connection) })
        #expect(try connection.integer("SELECT count(*) FROM token WHERE made_up IS NULL") == 1)
        connection.close()
        #expect(code { _ = try open() } == .newerFormat)
    }

    @Test func `another program's database is refused`() throws {
        let connection = try Connection(path: directory.file("a.sqlite"))
        try connection.execute("CREATE TABLE theirs(a)")
        connection.close()
        #expect(code { _ = try open("a.sqlite") } == .damaged)
    }

    @Test func `a file that is no database is refused`() throws {
        try Data(repeating: 65, count: 5000)
            .write(to: URL(fileURLWithPath: directory.file("a.sqlite")))
        #expect(code { _ = try open("a.sqlite") } == .damaged)
    }

    @Test func `a file that was cut short, even to nothing, is no empty zone`() throws {
        for byteCount in [0, 6_000] as [UInt64] {
            try open("\(byteCount).sqlite", creating: true).close()
            let file = try FileHandle(
                forUpdating: URL(fileURLWithPath: directory.file("\(byteCount).sqlite")))
            try file.truncate(atOffset: byteCount)
            try file.close()
            let code = code {
                let storage = try open("\(byteCount).sqlite")
                defer { storage.close() }
                _ = try storage.read { try $0.logState() }
            }
            #expect(code == .damaged)
        }
    }

    @Test func `a closed storage throws and can be closed again`() throws {
        let storage = try open("a.sqlite", creating: true)
        storage.close()
        storage.close()
        #expect(throws: (any Error).self) { try storage.read { _ = try $0.logState() } }
        #expect(code { try storage.write { _ in } } == .closed)
    }

    @Test func `a directory is served by one daemon`() throws {
        let first = try SQLiteBackEnd(directory: directory.path, environment: .system)
        let second = try SQLiteBackEnd(directory: directory.path, environment: .system)
        try first.lockForServing()
        #expect(code { try second.lockForServing() } == .inUse)
        first.close()
        #expect(code { try second.lockForServing() } == nil)
        second.close()
    }

    @Test func `an epoch reaches as far as the least fork behind it`() throws {
        let ids = (0..<3).map { EpochID(high: UInt64($0), low: 0) }
        let history = try #require(
            EpochHistory([
                .init(id: ids[0], forkPosition: 0), .init(id: ids[1], forkPosition: 5),
                .init(id: ids[2], forkPosition: 3),
            ]))
        #expect(history.present == ids[2])
        #expect(ids.map { history.reach(of: $0, head: 9) } == [3, 3, 9])
        #expect(history.reach(of: EpochID(high: 7, low: 7), head: 9) == nil)
        #expect(EpochHistory([]) == nil)
    }

    @Test func `a row that was only inserted carries one stamp, an updated cell its own`() throws {
        var list = CellList()
        let values = [StoredBytes([2, 4]), StoredBytes([5, 1, 65])]
        list.put(.init(property: 2, timestamp: 10, author: 0, value: values[1]))
        list.put(.init(property: 1, timestamp: 10, author: 0, value: values[0]))
        let fresh = list.encoded(timestamp: 10, author: 0)
        #expect(fresh == [2, 2, 2, 4, 4, 3, 5, 1, 65])
        list.put(.init(property: 1, timestamp: 11, author: 3, value: StoredBytes([2, 6])))
        let updated = list.encoded(timestamp: 10, author: 0)
        #expect(updated.count == fresh.count + 9)
        let read = try CellList(decoding: updated, timestamp: 10, author: 0)
        #expect(read.cells.map(\.property) == [1, 2])
        #expect(read.cells.map(\.timestamp) == [11, 10])
        #expect(read.cells.map(\.author) == [3, 0])
        #expect(read[2]?.value == values[1])
        list.put(
            [
                .init(property: 1, timestamp: 10, author: 0, value: values[0]),
                .init(property: 1, timestamp: 12, author: 1, value: values[1]),
            ], of: 1)
        let siblings = try CellList(
            decoding: list.encoded(timestamp: 10, author: 0), timestamp: 10, author: 0)
        #expect(siblings.siblings(of: 1).map(\.timestamp) == [10, 12])
        #expect(siblings.cells.map(\.property) == [1, 1, 2])
        #expect(throws: ChangeSetDecodingError.self) {
            try CellList(decoding: Array(updated.dropLast()), timestamp: 10, author: 0)
        }
    }
}
