import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchStore

@Suite struct `Opening a store` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    @Test func `a saved record is there when the file is opened again`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let replica = try first.replica
        first.close()
        let second = try scenario.open("a")
        #expect(try second.value("name", of: anna) == .string("Anna"))
        #expect(try second.replica == replica)
    }

    @Test func `a file opens by the model that it holds`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        first.close()
        let second = try Store.open(at: scenario.path("a"), model: nil)
        #expect(second.model.hash == scenario.model.hash)
        #expect(try second.value("name", of: anna) == .string("Anna"))
    }

    @Test func `files of one model have it in memory once, and only while it is used`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("OnlyHere") { AttributeDeclaration("name", .string) }
        }
        for name in ["a", "b"] {
            try Store.open(at: scenario.path(name), model: model).close()
        }
        weak var kept: ManagedObjectModel?
        func open() throws {
            let stores = try ["a", "b", "a"].map {
                try Store.open(at: scenario.path($0), model: nil)
            }
            kept = stores[0].model
            #expect(kept !== model && stores.allSatisfy { $0.model === kept })
            for store in stores { store.close() }
        }
        try open()
        #expect(kept == nil)
    }

    @Test func `a step brings a file into the next format, which this program refuses`() throws {
        try scenario.open("a").close()
        let path = scenario.path("a")
        let connection = try Connection(path: path)
        let opening = StoreOpening(
            connection, path: path, options: StoreOptions(), environment: .system,
            access: try StoreAccess(
                path, mayCreate: false, options: StoreOptions(), environment: .system))
        let step = "ALTER TABLE ab_state ADD COLUMN made_up INTEGER;"
        let later = TableFormat(
            prefix: "ab_", creation: StoreFormat.tables.creation + step, steps: [step])
        for _ in 0..<2 {
            try opening.updateFormat(by: later)
            #expect(
                try connection.firstValue("SELECT format FROM ab_state WHERE made_up IS NULL") == 2)
        }
        connection.close()
        #expect(storeError { _ = try scenario.open("a") }?.code == .newerFormat)
    }

    @Test func `without a model no file is created`() {
        let path = scenario.path("none")
        #expect(storeError { _ = try Store.open(at: path, model: nil) }?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `the options say how many pages the writer keeps`() throws {
        for (byteCount, kibibytes) in [(nil, 2048), (64 << 20, 65_536), (0, 1)] {
            var options = StoreOptions()
            if let byteCount { options.writerCacheByteCount = byteCount }
            let store = try Store.open(
                at: scenario.path("cache\(kibibytes)"), model: scenario.model, options: options)
            let size = try store.withWriter { try $0.firstValue("PRAGMA cache_size") }
            #expect(size == .integer(Int64(-kibibytes)))
        }
    }

    @Test func `reading only makes no file`() {
        let path = scenario.path("none")
        let error = storeError {
            var options = StoreOptions()
            options.isReadOnly = true
            _ = try Store.open(at: path, model: scenario.model, options: options)
        }
        #expect(error?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a missing folder and a folder in the file's place are reported`() throws {
        for path in [scenario.path("no/such/file"), scenario.folder.path] {
            let error = storeError { _ = try Store.open(at: path, model: scenario.model) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.path == path)
        }
    }

    @Test func `an empty file becomes a store only where a model is given`() throws {
        try Data().write(to: URL(filePath: scenario.path("a")))
        let error = storeError { _ = try Store.open(at: scenario.path("a"), model: nil) }
        #expect(error?.code == .notAStore && error?.message.contains("Give a model") == true)
        #expect(scenario.bytes("a") == [Data(), Data()])
        #expect(try scenario.open("a").canonicalHash() == scenario.open("b").canonicalHash())
    }

    @Test func `a copy without its log can't be read, and the error names the log`() throws {
        let store = try scenario.open("a")
        defer { store.close() }
        try FileManager.default.copyItem(atPath: scenario.path("a"), toPath: scenario.path("b"))
        var options = StoreOptions()
        options.isReadOnly = true
        for model in [nil, scenario.model] {
            let error = storeError {
                _ = try Store.open(at: scenario.path("b"), model: model, options: options)
            }
            #expect(error?.code == .notAStore)
            #expect(error?.message.contains("\(scenario.path("b"))-wal") == true)
            #expect(error?.message.contains("Give a model") == false)
        }
    }

    @Test func `many openings at once make one store`() throws {
        let replicas = Mutex<Set<String>>([])
        let failures = Mutex<[String]>([])
        let scenario = scenario
        let path = scenario.path("a")
        let model = scenario.model
        var patient = StoreOptions()
        // They wait for one another, longer on a machine that is busy.
        patient.busyTimeout = .seconds(60)
        let options = patient
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let store = try Store.open(at: path, model: model, options: options)
                let replica = try store.replica
                replicas.withLock { _ = $0.insert("\(replica)") }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(replicas.withLock { $0.count } == 1)
    }

    @Test func `an opening waits for another connection to a new file`() throws {
        let path = scenario.path("a")
        let model = scenario.model
        let other = try Connection(path: path)
        try other.execute("BEGIN IMMEDIATE")
        let opened = DispatchGroup()
        let failure = Mutex<String?>(nil)
        DispatchQueue.global().async(group: opened) {
            var options = StoreOptions()
            options.busyTimeout = .seconds(60)
            do {
                try Store.open(at: path, model: model, options: options).close()
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        #expect(opened.wait(timeout: .now() + 0.3) == .timedOut)
        try other.execute("ROLLBACK")
        opened.wait()
        #expect(failure.withLock { $0 } == nil)
    }

    @Test func `a store that is created at any moment of an opening is opened`() throws {
        var isCreatedLate = false
        for step in 0... {
            let disk = SimulatedDisk(seed: 1)
            var environment = StoreEnvironment.system
            environment.vfs = disk.name
            environment.fileIdentity = { _ in [] }
            let process = disk.process(of: "a")
            var stepsLeft = step
            var created: Result<ReplicaID, any Error>?
            process.willRead = {
                guard stepsLeft == 0 else {
                    stepsLeft -= 1
                    return
                }
                process.willRead = nil
                created = Result {
                    let store = try Store.open(
                        at: "a", model: scenario.model, environment: environment)
                    defer { store.close() }
                    return try store.replica
                }
            }
            let store = try Store.open(at: "a", model: scenario.model, environment: environment)
            defer { store.close() }
            process.willRead = nil
            guard let created else { break }
            #expect(try created.get() == store.replica, "step \(step)")
            isCreatedLate = true
        }
        #expect(isCreatedLate)
    }

    @Test func `a store opened for reading reads and does not write`() throws {
        let writing = try scenario.open("a")
        let anna = try writing.insertPerson("Anna")
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try Store.open(at: scenario.path("a"), model: nil, options: options)
        #expect(try reading.value("name", of: anna) == .string("Anna"))
        #expect(storeError { try reading.insertPerson("Bob") }?.code == .readOnly)
        #expect(try reading.reserveNumbers(1).count == 1, "a record may be inserted in memory")
        #expect(storeError { try reading.makeDurable() }?.code == .readOnly)
    }

    @Test func `a closed store says so`() throws {
        let store = try scenario.open("a")
        store.close()
        store.close()
        #expect(storeError { _ = try store.canonicalHash() }?.code == .closed)
        #expect(storeError { _ = try store.reserveNumbers(1) }?.code == .closed)
        #expect(storeError { try store.makeDurable() }?.code == .closed)
    }

    @Test func `names that SQLite or the store keep for themselves are no obstacle`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Select") {
                AttributeDeclaration("select", .string)
                AttributeDeclaration("Select", .string)
                AttributeDeclaration("left", .integer64)
            }
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
                AnabranchModel.IndexDeclaration("members", on: "name")
                AnabranchModel.IndexDeclaration("teams", on: "name")
            }
            EntityDeclaration("Team") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
                AnabranchModel.IndexDeclaration("members", on: "title")
            }
            EntityDeclaration("Team_members") {
                AttributeDeclaration("title", .string)
                AnabranchModel.IndexDeclaration("right", on: "title")
            }
        }
        let store = try Store.open(at: scenario.path("names"), model: model)
        let id = try store.insert(
            "Select", ["select": .string("a"), "Select": .string("b")])
        #expect(try store.value("select", of: id, "Select") == .string("a"))
        #expect(try store.value("Select", of: id, "Select") == .string("b"))
        #expect(try store.value("left", of: id, "Select") == .null)
    }
}
