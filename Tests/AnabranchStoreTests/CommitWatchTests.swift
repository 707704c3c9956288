import AnabranchStore
import Foundation
import Testing

struct CommitWatchTests {
    @Test func `notices commits by every opening of the file, and nothing else`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let watch = CommitWatch(of: store)
        #expect(try watch.hasChanged(), "the first call knows nothing")
        #expect(try !watch.hasChanged())
        try store.insertPerson("Anna")
        #expect(try watch.hasChanged())
        #expect(try !watch.hasChanged())
        let other = try scenario.open("a")
        _ = try watch.hasChanged()
        try other.insertPerson("Bob")
        #expect(try watch.hasChanged())
        _ = try store.syncState()
        #expect(try !watch.hasChanged())
    }

    @Test(.enabled(if: isLinux, "only Linux reports writes to files"))
    func `reports a commit once each time that it is armed`() async throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = CommitWatch(of: store) { report.yield() }
        var received = reports.makeAsyncIterator()
        let other = try scenario.open("a")
        #expect(watch.arm())
        for number in 0..<3 {
            try other.insertPerson("before \(number)")
            await received.next()
            try other.insertPerson("after \(number)")
            #expect(watch.arm(), "what was committed since the report is reported now")
            await received.next()
            #expect(watch.arm())
            #expect(watch.arm(), "arming twice is arming once")
        }
        report.finish()
        #expect(await received.next() == nil, "there is no further report")
    }

    @Test(.enabled(if: isLinux, "only Linux reports writes to files"))
    func `says that it does not report a file that was moved`() async throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = CommitWatch(of: store) { report.yield() }
        #expect(watch.arm())
        try FileManager.default.moveItem(
            atPath: store.path + "-wal", toPath: store.path + ".moved")
        var received = reports.makeAsyncIterator()
        await received.next()
        #expect(!watch.arm())
    }

    @Test(.enabled(if: isLinux, "only Linux reports writes to files"))
    func `follows the file that takes the place of a removed one`() async throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = CommitWatch(of: store) { report.yield() }
        var received = reports.makeAsyncIterator()
        let log = URL(filePath: store.path + "-wal")
        for number in 0..<3 {
            #expect(watch.arm())
            // SQLite has the removed file open, and so its contents stay.
            try FileManager.default.removeItem(at: log)
            // A report may be one of the write before.
            repeat { await received.next() } while watch.arm()
            try Data().write(to: log)
            #expect(watch.arm())
            await received.next()
            #expect(watch.arm(), "what was written meanwhile counts as reported")
            try Data("\(number)".utf8).write(to: log)
            await received.next()
        }
        report.finish()
        #expect(await received.next() == nil, "there is no further report")
    }
}

private let isLinux: Bool = {
    #if os(Linux)
        true
    #else
        false
    #endif
}()
