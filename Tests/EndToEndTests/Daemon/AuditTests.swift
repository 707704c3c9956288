import Anabranch
import AnabranchSync
import Foundation
import TestSupport
import Testing

/// Tests of the file of a real daemon's audit log, and of the commands that write to it.
@Suite(.waiting) struct AuditTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("audit") }

    private var log: String { directory.file("audit.log") }

    private var store: String { "sqlite:\(directory.file("store"))" }

    private func configure(level: String = "info") throws {
        let text = """
            store = \(store)
            listen = 127.0.0.1:0
            port-file = \(directory.file("port"))
            audit-log = \(log)
            log-level = \(level)

            """
        try Data(text.utf8).write(to: URL(filePath: directory.file("anabranchd.conf")))
    }

    private func start() throws -> RunningProcess {
        let daemon = try RunningProcess(
            "anabranchd", ["serve", "--config", directory.file("anabranchd.conf")],
            scratch: directory.url)
        for _ in 0..<6_000 where !daemon.printed.hasSuffix("\n") { usleep(10_000) }
        return daemon
    }

    private func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
            .split(separator: "\n").map(String.init)
    }

    /// Waits until the daemon's own log has a text a number of times.
    private func wait(for text: String, count: Int = 1, in daemon: RunningProcess) {
        for _ in 0..<6_000 {
            if daemon.complained.components(separatedBy: text).count > count { return }
            usleep(10_000)
        }
        Issue.record("the log has no \"\(text)\": \(daemon.complained)")
    }

    private func token(
        _ arguments: [String], _ variables: [String: String] = [:]
    ) throws -> RunningProcess.Outcome {
        try RunningProcess.run(
            "anabranchd", ["token"] + arguments + ["--store", store], scratch: directory.url,
            environment: variables)
    }

    /// A client that saves a note and pushes it.
    private struct Client {
        let container: PersistentContainer
        let engine: SyncEngine

        func push() async throws {
            try await container.performBackgroundTask { context in
                try context.insert("Note")["text"] = .string("a secret")
                try context.save()
            }
            #expect(try await engine.synchronize().isCaughtUp)
        }
    }

    private func client(_ token: String) throws -> Client {
        let port = try String(contentsOfFile: directory.file("port"), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: directory.file("client.anabranch")))
        try container.load()
        let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        return Client(
            container: container,
            engine: try SyncEngine(
                container: container, server: url, zone: "notes", token: token,
                options: SyncOptions()))
    }

    /// The number of lines of pushes in a file.
    private func pushes(_ path: String) -> Int {
        lines(path).filter { $0.contains(#""event":"push""#) }.count
    }

    @Test func `SIGHUP opens the file again, also with a wrong configuration`() async throws {
        try configure()
        let secret = try token(["create", "--zone", "notes", "--role", "write"]).output
            .trimmingCharacters(in: .newlines)
        let daemon = try start()
        let client = try client(secret)
        try await client.push()
        #expect(pushes(log) == 1)
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        try await client.push()
        #expect(pushes(log + ".1") == 2, "it is not opened again before the signal")
        daemon.send(SIGHUP)
        wait(for: "read the configuration again", in: daemon)
        try await client.push()
        #expect(pushes(log + ".1") == 2)
        #expect(pushes(log) == 1)
        try configure(level: "loud")
        try FileManager.default.moveItem(atPath: log, toPath: log + ".2")
        daemon.send(SIGHUP)
        wait(for: "kept the former configuration", in: daemon)
        try await client.push()
        #expect(pushes(log + ".2") == 1)
        #expect(pushes(log) == 1)
        try configure()
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        daemon.send(SIGHUP)
        wait(for: "kept the former file of the audit log: Can't open", in: daemon)
        try await client.push()
        daemon.send(SIGTERM)
        #expect(try daemon.wait().status == 0)
        #expect(!(lines(log + ".1") + lines(log + ".2")).joined().contains("a secret"))
    }

    @Test func `each place of the setting logs that tokens are created and revoked`() throws {
        try configure()
        let file = ["ANABRANCHD_CONFIG": directory.file("anabranchd.conf")]
        let created = try token(["create", "--zone", "notes", "--role", "read"], file)
        #expect(created.status == 0, "\(created.errors)")
        let other = directory.file("other.log")
        #expect(try token(["revoke", "1"], ["ANABRANCHD_AUDIT_LOG": other]).status == 0)
        #expect(try token(["revoke", "1", "--audit-log", log]).status == 0)
        let all = lines(log) + lines(other)
        for (line, event) in zip(all, ["token-create", "token-revoke", "token-revoke"]) {
            #expect(line.contains(#""event":"\#(event)","zone":"notes","token":1,"role":"read""#))
            #expect(line.contains(#""account":""#))
        }
        #expect(all.count == 3)
        #expect(lines(other).count == 1)
        #expect(!all.joined().contains(created.output.dropFirst(4).dropLast()))
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func `a token without a line is not given out`() throws {
        for (file, cause) in [
            ("/dev/full", "Can't write to the audit log"),
            (directory.file("missing/audit"), "Can't open the audit log"),
        ] {
            let run = try token(
                ["create", "--zone", "notes", "--role", "read", "--audit-log", file])
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.errors.contains(cause))
        }
        let listed = try token(["list"]).output.split(separator: "\n").dropFirst()
        #expect(listed.count == 1)
        #expect(listed.allSatisfy { $0.contains("revoked") })
    }
}
