import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of a daemon, and of its commands, on a full disk.
@Suite(.waiting, .enabled(if: SmallDisk.canBeMade, "the tests may not mount a file system here"))
struct FullDiskTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("full-disk") }

    private func run(
        _ words: String..., on disk: SmallDisk, environment: [String: String] = [:]
    ) throws -> RunningProcess.Outcome {
        try disk.start(
            BuiltProducts.executable("anabranchd"), words, scratch: folder.url,
            environment: environment
        ).wait()
    }

    /// Runs a daemon with a zone `a` on a disk, and stops it.
    ///
    /// - Parameter use: Uses the zone while the daemon runs.
    private func serve(
        _ store: String, on disk: SmallDisk, _ use: (MessageClient) throws -> Void
    ) throws -> RunningProcess.Outcome {
        let token = try run(
            "token", "create", "--zone", "a", "--role", "write", "--store", store, on: disk
        ).output.trimmingCharacters(in: .newlines)
        let portFile = folder.file("port")
        let daemon = try disk.start(
            BuiltProducts.executable("anabranchd"),
            ["serve", "--store", store, "--listen", "127.0.0.1:0", "--port-file", portFile],
            scratch: folder.url)
        do {
            try use(MessageClient(port: waitForPort(in: portFile), zone: "a", token: token))
            daemon.send(SIGTERM)
        } catch {
            daemon.send(SIGKILL)
            Issue.record("\(error): \(try daemon.wait().errors)")
        }
        return try daemon.wait()
    }

    private func waitForPort(in file: String) throws -> Int {
        for _ in 0..<6_000 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) { return port }
            usleep(10_000)
        }
        throw FailedProcess(description: "The daemon does not listen.")
    }

    private func get(
        _ path: String, _ client: MessageClient
    ) throws -> (head: String, body: String) {
        let connection = try LoopbackClient(port: client.port)
        connection.get(path, token: client.token)
        let answer = connection.answer()
        return (answer.head, String(decoding: answer.body, as: UTF8.self))
    }

    @Test func `a daemon is not ready while its disk has less room than it needs`() throws {
        let disk = try SmallDisk("size=70m")
        let outcome = try serve("sqlite:\(disk.path)/store", on: disk) { client in
            let ready = #"{"status":"ready"}"#
            #expect(try get("/v1/ready", client).body == ready)
            try disk.fill(leaving: 65 << 20)
            #expect(try get("/v1/ready", client).body == ready)
            try disk.fill(leaving: 64 << 20 - 4096)
            let refused = try get("/v1/ready", client)
            #expect(refused.head.hasPrefix("HTTP/1.1 503 "))
            #expect(refused.head.contains("Retry-After: ") && !refused.body.contains(disk.path))
            // It serves as long as there is any room.
            var generator = SeededGenerator(seed: 1)
            var author = HostileAuthor(&generator)
            #expect(try client.head(afterPushing: author.save(HostileAuthor.noChanges)) == 1)
            try disk.clear()
            #expect(try get("/v1/ready", client).body == ready)
        }
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains("The disk of \(disk.path)/store has only 63 MiB left. (full)"))
    }

    @Test func `a push to a full disk comes back later, and reads go on`() throws {
        let disk = try SmallDisk("size=8m")
        let store = "sqlite:\(disk.path)/store"
        var generator = SeededGenerator(seed: 2)
        var author = HostileAuthor(&generator)
        let sets = (0..<2).map { _ in author.save(HostileAuthor.noChanges) }
        let outcome = try serve(store, on: disk) { client in
            #expect(try client.head(afterPushing: sets[0]) == 1)
            try disk.fill()
            let refused = try client.push(sets[1])
            #expect(refused.head.hasPrefix("HTTP/1.1 507 "))
            #expect(refused.head.contains("\r\nRetry-After: 60\r\n"))
            let told = String(decoding: refused.body, as: UTF8.self)
            #expect(told.contains(#""code":"storage-full""#) && !told.contains(disk.path))
            let pull = PullRequest(cursor: nil, byteLimit: 1000)
            let page = try PullResponse(decoding: client.post("pull", pull.encoded()).body)
            #expect(page.changeSets == [sets[0].encoded()])
            #expect(try get("/v1/zones/a/hash", client).head.hasPrefix("HTTP/1.1 200 "))
            #expect(try run("zone", "show", "a", "--store", store, on: disk).status == 0)
            try disk.clear()
            #expect(try client.head(afterPushing: sets[1]) == 2)
        }
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains(
                "Can't use \(disk.path)/store/zones/a.sqlite because its disk is full: make room."))
    }

    @Test(arguments: ["show", "verify", "hash", "compact"])
    func `a command names a full disk as the cause`(command: String) throws {
        let disk = try SmallDisk("size=1m")
        let store = "sqlite:\(disk.path)/store"
        _ = try run("zone", "create", "a", "--store", store, on: disk)
        try disk.fill()
        let refused = try run("zone", command, "a", "--store", store, on: disk)
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains("anabranchd: Can't use \(disk.path)/store/")
                && refused.errors.contains(" because its disk is full: make room."))
        try disk.clear()
        #expect(try run("zone", command, "a", "--store", store, on: disk).status == 0)
    }

    @Test func `a verification names the full disk of its temporary files`() throws {
        let store = "sqlite:\(folder.file("store"))"
        for (limits, cause) in [
            ("size=64k", "because its disk is full: make room."),
            ("size=64k,nr_inodes=2", "No space left on device"),
        ] {
            let disk = try SmallDisk(limits)
            _ = try run("zone", "create", "a", "--store", store, on: disk)
            try disk.fill()
            let refused = try run(
                "zone", "verify", "a", "--store", store, on: disk,
                environment: ["TMPDIR": disk.path])
            #expect(refused.status == 1)
            #expect(refused.errors.hasPrefix("anabranchd: Can't "))
            #expect(refused.errors.contains("\(disk.path)/anabranchd-"))
            #expect(refused.errors.contains(cause), "\(refused.errors)")
        }
    }
}
