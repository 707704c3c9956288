import AnabranchSQLite
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `Stores that can't be written` {
    /// A store with one person, in a folder of its own.
    private struct Place {
        let directory: TemporaryDirectory
        let path: String
        /// What the process is not allowed to write.
        let denied = DeniedPaths()

        init() throws {
            directory = try TemporaryDirectory("read-only")
            path = directory.file("a.store")
            let store = try Store.open(at: path, model: try StoreScenario().model)
            try store.insertPerson("Anna")
            store.close()
        }

        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
        }

        func open(isReadOnly: Bool = false) throws -> Store {
            var environment = StoreEnvironment.system
            environment.isWritable = { [denied] in !denied.contains($0) }
            var options = StoreOptions()
            options.isReadOnly = isReadOnly
            return try Store.open(
                at: path, model: nil, options: options, environment: environment)
        }
    }

    private final class DeniedPaths: Sendable {
        private let paths = Mutex<Set<String>>([])

        func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }
        func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }
    }

    @Test(arguments: [false, true])
    func `one in a folder without rights is read, if it was closed`(isReadOnly: Bool) throws {
        let place = try Place()
        place.denied.insert(place.directory.path)
        let store = try place.open(isReadOnly: isReadOnly)
        #expect(try store.names() == ["Anna"])
        #expect(try place.files == ["a.store"], "nothing is created beside it")
        let snapshot = try store.snapshot()
        #expect(try snapshot.read { try $0.historyProgress().position } == 1)
        let error = #expect(throws: StoreError.self) { try store.renewIdentity() }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("folder") == !isReadOnly)
        store.close()
        #expect(try place.files == ["a.store"])
    }

    @Test func `one that was not closed says what to do`() throws {
        let place = try Place()
        let writer = try place.open()
        try writer.insertPerson("Bob")
        let copy = place.directory.file("copy")
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: place.path + suffix, toPath: copy + "/a.store" + suffix)
        }
        place.denied.insert(copy)
        var environment = StoreEnvironment.system
        environment.isWritable = { [denied = place.denied] in !denied.contains($0) }
        let error = #expect(throws: StoreError.self) {
            try Store.open(at: copy + "/a.store", model: nil, environment: environment)
        }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("not closed") == true)
        #expect(error?.message.contains("-wal file, to a folder of your own") == true)
        // While another process has it open, SQLite's files are there, and so it can be read.
        place.denied.insert(place.directory.path)
        let reader = try place.open(isReadOnly: true)
        #expect(try reader.names() == ["Anna", "Bob"])
    }

    @Test func `one whose file is protected opens for reading, and says so when it is written`()
        throws
    {
        let place = try Place()
        place.denied.insert(place.path)
        let store = try place.open()
        #expect(try store.names() == ["Anna"])
        let error = #expect(throws: StoreError.self) { try store.renewIdentity() }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("no right to write to it") == true)
    }

    @Test func `none is created in a folder without rights`() throws {
        let place = try Place()
        place.denied.insert(place.directory.path)
        var environment = StoreEnvironment.system
        environment.isWritable = { [denied = place.denied] in !denied.contains($0) }
        let error = #expect(throws: StoreError.self) {
            try Store.open(
                at: place.directory.file("new.store"), model: try StoreScenario().model,
                environment: environment)
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("Can't create") == true)
    }

    @Test func `new records have numbers in memory, which no record of the file has`() throws {
        let place = try Place()
        place.denied.insert(place.directory.path)
        let store = try place.open()
        let (first, second) = (try store.reserveNumbers(3), try store.reserveNumbers(2))
        #expect(first.count == 3 && second.count == 2 && !first.overlaps(second))
        let records = try store.names().count
        #expect(records == 1 && first.lowerBound.number > 1 << 39)
    }
}

extension Store {
    fileprivate func names() throws -> [String] {
        try read { reader in
            let statement = try reader.connection.prepare("SELECT name FROM Person ORDER BY name")
            var names: [String] = []
            while try statement.step() { names.append(statement.string(at: 0)) }
            return names
        }
    }
}
