import Anabranch
import AnabranchStore
import AnabranchSync
import Foundation
import TestSupport
import Testing

/// Tests of a real daemon with a validation hook and an audit log.
@Suite(.waiting, .enabled(if: HookUnderTest.canRun, "the hooks are programs in Python"))
struct ValidationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("validation") }

    private func start(
        _ hook: HookUnderTest, timeout: Int = 60_000, more: [String] = []
    ) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            in: folder,
            options: [
                "--validate", hook.place, "--validate-timeout", "\(timeout)",
                "--audit-log", folder.file("audit.log"),
            ] + more)
    }

    private func container(_ name: String) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: folder.file(name)))
        try container.load()
        return container
    }

    private func save(_ texts: String..., in container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context in
            for text in texts {
                let note = try context.insert("Note")
                note["text"] = .string(text)
                try context.save()
            }
        }
    }

    /// Syncs a store, with few attempts so that a failure shows soon.
    private func sync(
        _ container: PersistentContainer, _ daemon: DaemonUnderTest, attempts: Int = 1
    ) async throws -> SyncOutcome {
        try await Self.sync(container, daemon.url, daemon.token, attempts: attempts)
    }

    private static func sync(
        _ container: PersistentContainer, _ server: URL, _ token: String, attempts: Int
    ) async throws -> SyncOutcome {
        var options = SyncOptions()
        options.retry.attempts = attempts
        let engine = try SyncEngine(
            container: container, server: server, zone: DaemonUnderTest.zone,
            token: token, options: options)
        return try await engine.synchronize()
    }

    private func texts(_ container: PersistentContainer) throws -> [String] {
        try container.newBackgroundContext().performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
                .compactMap { note in
                    if case .string(let text) = note["text"] { text } else { nil }
                }.sorted()
        }
    }

    private struct AuditLine: Decodable {
        struct Replica: Decodable {
            let first: UInt64
            let last: UInt64
        }
        struct Code: Decodable {
            let code: String
            let count: Int
        }
        let zone: String
        let token: Int64
        let address: String
        let replicas: [Replica]
        let accepted: Int
        let rejected: Int
        let refused: Int
        let firstPosition: UInt64?
        let lastPosition: UInt64?
        let codes: [Code]?
        let error: String?
    }

    /// The lines of pushes.
    private func audit() throws -> [AuditLine] {
        try String(contentsOfFile: folder.file("audit.log"), encoding: .utf8)
            .split(separator: "\n").filter { $0.contains(#""event":"push""#) }
            .map { try JSONDecoder().decode(AuditLine.self, from: Data($0.utf8)) }
    }

    @Test(arguments: HookUnderTest.Kind.allCases)
    func `a rejected save reaches its author's store with code and reason`(
        kind: HookUnderTest.Kind
    ) async throws {
        let hook = try HookUnderTest(kind, in: folder)
        let daemon = try start(hook)
        let author = try container("a")
        try save("one", "bad", "two", in: author)
        _ = try await sync(author, daemon)
        let rejected = try author.coordinator.rejectedSaves()
        #expect(rejected.map(\.rejection.code.rawValue) == ["validation-failed/bad-text"])
        #expect(rejected.map(\.rejection.reason) == ["No bad notes."])
        #expect(try texts(author) == ["one", "two"])
        let reader = try container("b")
        #expect(try await sync(reader, daemon).isCaughtUp)
        #expect(try texts(reader) == ["one", "two"])
        // What the zone holds is shown to the hook once, whichever client syncs afterwards.
        #expect(try await sync(author, daemon).isCaughtUp)
        #expect(hook.shown.count == 3 && Set(hook.shown).count == 3)
        let lines = try audit()
        #expect(lines.map(\.accepted).reduce(0, +) == 2)
        #expect(lines.flatMap { $0.codes ?? [] }.map(\.code) == ["validation-failed/bad-text"])
        #expect(lines.allSatisfy { $0.zone == DaemonUnderTest.zone && $0.address == "127.0.0.1" })
        #expect(daemon.stop() == 0)
        if kind == .command { #expect(hook.processes.allSatisfy { kill($0, 0) != 0 }) }
    }

    @Test(arguments: HookUnderTest.Kind.allCases)
    func `a hook that hangs, dies, floods or answers in another form loses and accepts nothing`(
        kind: HookUnderTest.Kind
    ) async throws {
        let hook = try HookUnderTest(kind, in: folder)
        let daemon = try start(hook, timeout: 2000)
        let author = try container("a")
        try save("one", "bad", in: author)
        let reader = try container("b")
        for mode in ["hang", "die", "garbage", "flood"] {
            try hook.set(mode)
            let error = await #expect(throws: SyncError.self) { try await sync(author, daemon) }
            #expect(error?.code.rawValue == "overloaded", "\(mode)")
            #expect(error?.message.contains("validation hook") == true)
            #expect(try await sync(reader, daemon).isCaughtUp)
            #expect(try texts(reader).isEmpty)
        }
        #expect(hook.shown.isEmpty)
        #expect(try audit().map(\.error) == Array(repeating: "overloaded", count: 4))
        #expect(try audit().map(\.refused) == [2, 2, 2, 2])
        let log = try String(contentsOf: daemon.log, encoding: .utf8)
        for cause in [
            "within 2000 ms", "its answer can't be read", "its answer has more than 16777216 bytes",
        ] {
            #expect(log.contains(cause))
        }
        try hook.set("ok")
        #expect(try await sync(author, daemon, attempts: 5).isCaughtUp)
        #expect(try texts(author) == ["one"])
        #expect(try author.coordinator.rejectedSaves().count == 1)
    }

    @Test(arguments: HookUnderTest.Kind.allCases)
    func `a daemon stops while its hook does not answer, and the save comes again`(
        kind: HookUnderTest.Kind
    ) async throws {
        let hook = try HookUnderTest(kind, in: folder)
        let daemon = try start(hook, timeout: 600_000)
        let author = try container("a")
        try save("one", in: author)
        try hook.set("sleep")
        let exchange = Task { [url = daemon.url, token = daemon.token] in
            _ = try? await Self.sync(author, url, token, attempts: 1)
        }
        while hook.sleepers.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(daemon.stop() == 0)
        let log = try String(contentsOf: daemon.log, encoding: .utf8)
        #expect(!log.contains("stopped while something still ran"))
        if kind == .command { #expect(hook.sleepers.allSatisfy { kill($0, 0) == -1 }) }
        await exchange.value
        try hook.set("ok")
        try daemon.start()
        #expect(try await sync(author, daemon, attempts: 5).isCaughtUp)
        #expect(daemon.stop() == 0)
    }

    @Test func `a command that was killed is restarted with the next push`() async throws {
        let hook = try HookUnderTest(.command, in: folder)
        let daemon = try start(hook)
        let author = try container("a")
        for number in 1...3 {
            try save("note \(number)", in: author)
            #expect(try await sync(author, daemon).isCaughtUp)
            #expect(hook.processes.count == number)
            let process = try #require(hook.processes.last)
            #expect(kill(process, SIGKILL) == 0)
            for _ in 0..<1000 where isRunning(process) { usleep(2000) }
        }
        #expect(hook.shown.count == 3)
    }

    private func isRunning(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }

    @Test(arguments: HookUnderTest.Kind.allCases)
    func `a save in parts is shown as its parts`(kind: HookUnderTest.Kind) async throws {
        let hook = try HookUnderTest(kind, in: folder)
        let daemon = try start(hook)
        var generator = SeededGenerator(seed: 9)
        for (name, last) in [("good", "fine"), ("rejected", "bad")] {
            let store = try Store.open(at: folder.file(name), model: try NotesModel.make())
            let note = try #require(store.model.entity(named: "Note"))
            let slot = try #require(note.slotIndex(named: "text"))
            var request = SaveRequest(author: "import")
            let rows = try store.reserveNumbers(41).enumerated().map { number, id in
                var row = [PropertyValue](repeating: .null, count: note.slots.count)
                row[slot] = .string(number == 40 ? last : Self.text(&generator))
                return (id: id, slots: row)
            }
            request.inserts = [.init(entity: note, rows: rows)]
            _ = try store.save(request)
            let pending = try #require(try store.pending(byteLimit: 1).first)
            let count = try pending.changeSet.parts().count
            store.close()
            #expect(count > 1)
            let before = hook.shown.count
            let container = try container(name)
            _ = try await sync(container, daemon, attempts: 5)
            let parts = hook.shown.dropFirst(before).map { $0.split(separator: ":").last ?? "" }
            #expect(parts == (1...count).map { "\($0)" })
            #expect(try container.coordinator.rejectedSaveCount() == (last == "bad" ? 1 : 0))
        }
    }

    /// A text of 600,000 bytes that does not shrink when it is compressed.
    private static func text(_ generator: inout SeededGenerator) -> String {
        var text = ""
        text.reserveCapacity(600_016)
        while text.utf8.count < 600_000 { text += String(generator.next(), radix: 36) }
        return text
    }

    @Test(arguments: HookUnderTest.Kind.allCases)
    func `many clients at once are all served, and the audit log is complete and in order`(
        kind: HookUnderTest.Kind
    ) async throws {
        let hook = try HookUnderTest(kind, in: folder)
        let daemon = try start(hook)
        let clients = try (0..<12).map { try container("client-\($0)") }
        for client in clients { try save("one", "bad", "two", in: client) }
        let (server, token) = (daemon.url, daemon.token)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask { _ = try await Self.sync(client, server, token, attempts: 20) }
            }
            try await group.waitForAll()
        }
        for client in clients {
            #expect(try client.coordinator.rejectedSaveCount() == 1)
        }
        let changes = try audit().filter { $0.firstPosition != nil }
        #expect(changes.map(\.accepted).reduce(0, +) == 24)
        #expect(changes.map(\.rejected).reduce(0, +) == 12)
        var next: UInt64 = 1
        for line in changes {
            #expect(line.firstPosition == next)
            next = (line.lastPosition ?? 0) + 1
        }
        #expect(next == 37)
        #expect(Set(hook.shown).count == 36)
    }

    @Test func `options that can't be used are named`() throws {
        let store = ["--store", "sqlite:\(folder.file("none"))", "--listen", "127.0.0.1:0"]
        let cases: [([String], String)] = [
            (["--validate", "check"], "Can't use \"check\" for validation"),
            (["--validate", "command:/missing"], "Can't use /missing as a validation command"),
            (
                ["--validate-timeout", "5"],
                "--validate-timeout must be used together with validate"
            ),
            (
                ["--validate", "http://127.0.0.1:9/x", "--validate-calls", "9"],
                "--validate-calls takes at most a quarter of the workers, which is 6"
            ),
        ]
        for (arguments, message) in cases {
            let run = try RunningProcess.run(
                "anabranchd", ["serve"] + store + arguments, scratch: folder.url)
            #expect(run.status == 64)
            #expect(run.errors.contains(message), "\(run.errors)")
        }
        let run = try RunningProcess.run(
            "anabranchd", ["serve"] + store + ["--audit-log", folder.file("missing/audit")],
            scratch: folder.url)
        #expect(run.status == 1)
        #expect(run.errors.contains("Can't open the audit log"))
    }
}
