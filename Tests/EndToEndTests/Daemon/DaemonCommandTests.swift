import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of the commands of `anabranchd`.
@Suite(.waiting) struct DaemonCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("daemon") }

    private var store: String { "sqlite:\(directory.file("store"))" }

    private func run(_ arguments: String...) throws -> RunningProcess.Outcome {
        try RunningProcess.run("anabranchd", arguments, scratch: directory.url)
    }

    private func serve(_ arguments: String...) throws -> (daemon: RunningProcess, line: String) {
        let daemon = try RunningProcess(
            "anabranchd",
            ["serve", "--store", store, "--listen", "127.0.0.1:0"] + arguments,
            scratch: directory.url)
        for _ in 0..<6_000 {
            if daemon.printed.hasSuffix("\n") { return (daemon, daemon.printed) }
            usleep(10_000)
        }
        daemon.send(SIGKILL)
        let outcome = try daemon.wait()
        Issue.record("the daemon does not listen: \(outcome.errors)")
        return (daemon, "")
    }

    /// Runs a daemon for a client of the zone `a`, and ends it by a signal.
    private func serve(
        _ token: String, endingBy signal: Int32 = SIGTERM, _ use: (MessageClient) throws -> Void
    ) throws {
        let (daemon, line) = try serve()
        defer {
            daemon.send(signal)
            _ = try? daemon.wait()
        }
        let port = try #require(Int(line.dropLast().split(separator: ":").last ?? ""))
        try use(MessageClient(port: port, zone: "a", token: token))
    }

    /// Creates a token that may write the zone `a`.
    private func makeToken() throws -> String {
        try run("token", "create", "--zone", "a", "--role", "write", "--store", store).output
            .trimmingCharacters(in: .newlines)
    }

    @Test func `a token makes its zone, and lists and revokes by its number`() throws {
        let created = try run("token", "create", "--zone", "a", "--role", "read", "--store", store)
        #expect(created.status == 0)
        #expect(created.output.hasPrefix("abt_"))
        #expect(try run("zone", "list", "--store", store).output == "a\n")
        let listed = try run("token", "list", "--store", store).output
        #expect(listed.contains("1       a     read"))
        #expect(!listed.contains(created.output.dropFirst(4).dropLast()))
        let revoked = try run("token", "revoke", "1", "--store", store)
        #expect(revoked.output == "Token 1 of zone a is revoked.\n")
        #expect(try run("token", "list", "--store", store).output.contains("revoked 20"))
        #expect(try run("token", "revoke", "7", "--store", store).status == 1)
    }

    @Test(arguments: [
        [], ["serve"], ["check-config"], ["migrate-store"], ["backup"], ["restore"], ["token"],
        ["token", "create"], ["token", "create", "--zone"], ["zone"], ["zone", "list"],
        ["zone", "create"], ["zone", "show"], ["zone", "forget", "a"], ["serve", "--workers"],
        ["serve", "--listen"], ["serve", "--log-level"], ["serve", "--stor"],
    ])
    func `an address of a database in the wrong place is not printed`(command: [String]) throws {
        for word in ["postgres://ada:secret@db/notes", "host=db password=secret"] {
            let outcome = try RunningProcess.run(
                "anabranchd", command + [word], scratch: directory.url)
            #expect(outcome.status != 0)
            #expect(!(outcome.output + outcome.errors).contains("secret"), "\(outcome.errors)")
        }
    }

    @Test func `a backup is not written to a directory with the name of a database`() throws {
        _ = try run("zone", "create", "a", "--store", store)
        let outcome = try run("backup", "postgres://db/backup", "--store", store)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("A backup is a directory of files"))
    }

    @Test func `a zone shows what it holds and its hash`() throws {
        _ = try run("token", "create", "--zone", "a", "--role", "read", "--store", store)
        let shown = try run("zone", "show", "a", "--store", store)
        #expect(shown.output.contains("position  0\n"))
        let hash = try run("zone", "hash", "a", "--store", store)
        #expect(hash.output.trimmingCharacters(in: .newlines).count == 64)
        let compacted = try run("zone", "compact", "a", "--keep", "0", "--store", store)
        #expect(compacted.output == "forgotten  0\nstart      0\nfinal      0\n")
        #expect(try run("zone", "show", "a", "--keep", "0", "--store", store).status == 64)
        let missing = try run("zone", "show", "b", "--store", store)
        #expect(missing.status == 1)
        #expect(missing.errors == "anabranchd: There is no zone b. (not-found)\n")
    }

    @Test(arguments: ["show", "hash", "verify", "compact", "limit"])
    func `a command names the cause why it can't read a zone`(command: String) throws {
        _ = try run("zone", "create", "a", "--store", store)
        let path = directory.file("store/zones/a.sqlite")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        for (byteCount, cause) in [
            (6_000, "is damaged or cut short"), (0, "is empty"),
        ] as [(UInt64, String)] {
            try file.truncate(atOffset: byteCount)
            let outcome = try run("zone", command, "a", "--store", store)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(path) && outcome.errors.contains(cause))
            #expect(!outcome.errors.contains("internal-error"))
        }
    }

    /// Records with links between them, so that a save changes the first pages of their tables and
    /// only the last ones behind them.
    private func linkedRecords(of author: HostileAuthor) -> [UInt8] {
        let records = (1...3000).map(author.record)
        let property = WireProperty(name: "links", type: .links, rule: .set)
        return ChangePayload(blocks: [
            .insert(RowBlock(entity: "Note", records: records, properties: [], columns: [])),
            .link(
                LinkBlock(
                    entity: "Note", property: property,
                    links: records.map { .init(left: $0, right: records[0]) })),
        ]).encoded(author: author.replica)
    }

    /// A copy of an earlier state was put in the file's place, and the log of pages stayed.
    @Test func `a command names a log of pages of another state, and what to do`() throws {
        let token = try makeToken()
        let file = URL(filePath: directory.file("store/zones/a.sqlite"))
        let log = URL(filePath: file.path + "-wal")
        let older = try Data(contentsOf: file)
        var generator = SeededGenerator(seed: 0x7A1)
        for (position, signal) in [(1, SIGTERM), (2, SIGKILL)] as [(UInt64, Int32)] {
            var author = HostileAuthor(&generator)
            let save = author.save(linkedRecords(of: author))
            try serve(token, endingBy: signal) { client in
                let head = try client.head(afterPushing: save)
                #expect(head == position)
            }
        }
        let pages = try Data(contentsOf: log)
        for command in ["show", "hash", "verify"] {
            try older.write(to: file)
            try pages.write(to: log)
            let outcome = try run("zone", command, "a", "--store", store)
            let told = outcome.output + outcome.errors
            #expect(outcome.status == 1)
            #expect(told.contains("\(log.path) belongs to another state of it"), "\(told)")
            #expect(told.lowercased().contains("restore it from a backup."))
            #expect(!told.contains("internal-error"))
        }
    }

    @Test func `commands that need a store do not create one`() throws {
        let commands = [
            ["token", "list"], ["token", "revoke", "1"], ["zone", "list"], ["zone", "hash", "a"],
            ["backup", directory.file("copy")],
        ]
        for words in commands {
            let run = try RunningProcess.run(
                "anabranchd", words + ["--store", store], scratch: directory.url)
            #expect(run.status == 1)
            #expect(
                run.errors
                    == "anabranchd: There is no store \(store): \"anabranchd token create\" "
                    + "creates one.\n")
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("store")))
    }

    @Test func `a restore needs a backup, and replaces zones only if that is asked for`() throws {
        _ = try run("token", "create", "--zone", "a", "--role", "read", "--store", store)
        let copy = directory.file("copy")
        let missing = try run("restore", copy, "--store", store)
        #expect(missing.status == 1)
        #expect(missing.errors == "anabranchd: There is no backup in \(copy).\n")
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try run("backup", copy, "--store", store).status == 0)
        let other = "sqlite:\(directory.file("other"))"
        #expect(try run("restore", copy, "--store", other).output == "a  whole\n")
        #expect(try run("token", "list", "--store", other).output.contains("1       a     read"))
        #expect(try run("backup", "--store", store).status == 64)
        #expect(try run("restore", copy, "more", "--store", store).status == 64)
        #expect(try run("migrate-store", "--from", store).status == 64)
        #expect(try run("migrate-store", "--from", store, "--to", store).status == 64)
    }

    @Test func `a directory that can't be created is reported with the cause`() throws {
        let file = directory.file("file")
        try Data().write(to: URL(filePath: file))
        let run = try run(
            "token", "create", "--zone", "a", "--role", "read", "--store", "sqlite:\(file)/x")
        #expect(run.status == 1)
        #expect(
            run.errors
                == "anabranchd: Can't create the directory \(file)/x/zones because of this error: "
                + "Not a directory. (unusable)\n")
    }

    @Test(arguments: [
        ["fly"], ["serve"], ["serve", "--store"], ["serve", "--store", "postgres:x"],
        ["serve", "--store", "sqlite:/tmp/x", "--listen", "nowhere"],
        ["serve", "--store", "sqlite:/tmp/x", "--listen", "127.0.0.1:99999"],
        ["serve", "--store", "sqlite:/tmp/x", "--workers", "no"],
        ["serve", "--store", "sqlite:/tmp/x", "--tls-key", "k"], ["serve", "--sotre", "x"],
        ["token"], ["token", "create", "--store", "sqlite:/tmp/x"],
        ["token", "create", "--zone", "A", "--role", "read", "--store", "sqlite:/tmp/x"],
        ["token", "create", "--zone", "a", "--role", "god", "--store", "sqlite:/tmp/x"],
        ["token", "revoke", "one", "--store", "sqlite:/tmp/x"], ["zone"], ["zone", "show"],
        ["zone", "hash", "a", "b"],
    ])
    func `a wrong command line exits with 64 and says what to type`(
        arguments: [String]
    ) throws {
        let outcome = try RunningProcess.run("anabranchd", arguments, scratch: directory.url)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("anabranchd: "))
        #expect(outcome.errors.contains("Try: anabranchd "))
        #expect(outcome.errors.contains("--help"))
    }

    @Test(arguments: [["--help"], ["serve", "--help"], ["token", "--help"], ["zone", "-h"]])
    func `help goes to standard output`(arguments: [String]) throws {
        let outcome = try RunningProcess.run("anabranchd", arguments, scratch: directory.url)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("Usage:"))
    }

    @Test func `the version is printed`() throws {
        #expect(try run("--version").output.hasPrefix("anabranchd 0."))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a daemon says where it listens and stops cleanly`(signal: Int32) throws {
        let portFile = directory.file("port")
        let (daemon, line) = try serve("--port-file", portFile)
        let port = try String(contentsOfFile: portFile, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        #expect(line == "anabranchd listening on http://127.0.0.1:\(port)\n")
        daemon.send(signal)
        let outcome = try daemon.wait()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("\"message\":\"stopped\""))
    }

    @Test func `a second daemon on one directory refuses to start`() throws {
        let (daemon, _) = try serve()
        let second = try run("serve", "--store", store, "--listen", "127.0.0.1:0")
        #expect(second.status == 1)
        #expect(second.errors.contains("another daemon serves it"))
        daemon.send(SIGKILL)
        _ = try daemon.wait()
        // The lock of a killed daemon is released with its process.
        let (third, line) = try serve()
        #expect(line.hasPrefix("anabranchd listening"))
        third.send(SIGTERM)
        #expect(try third.wait().status == 0)
    }

    @Test func `an address that is taken is an error that names it`() throws {
        let (daemon, line) = try serve()
        let port = try #require(line.split(separator: ":").last).dropLast()
        let other = try run(
            "serve", "--store", "sqlite:\(directory.file("other"))", "--listen",
            "127.0.0.1:\(port)")
        #expect(other.status == 1)
        #expect(other.errors.contains("Can't listen on 127.0.0.1:\(port)"))
        daemon.send(SIGTERM)
        #expect(try daemon.wait().status == 0)
    }

    @Test func `all files are for their owner only, whatever the shell allows`() throws {
        let program = RunningProcess.program("anabranchd").path
        let copy = directory.file("copy")
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        for words in [
            ["token", "create", "--zone", "a", "--role", "read"], ["zone", "create", "b"],
            ["backup", copy],
        ] {
            let run = try RunningProcess(
                executable: "/bin/sh",
                ["-c", "umask 0; exec \"$@\"", "sh", program] + words + ["--store", store],
                scratch: directory.url
            ).wait()
            #expect(run.status == 0)
        }
        for folder in [directory.file("store"), copy] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(files.contains("zones/a.sqlite") && files.contains("tokens.sqlite"))
            for file in files {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: "\(folder)/\(file)")
                let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
                #expect(mode & 0o077 == 0, "\(file)")
            }
        }
    }

    @Test(arguments: [
        (["zone", "forgett", "a"], "There is no \"zone forgett\": type create, list, show, "),
        (["zone"], "The action is missing: type create, list, show, hash, limit, verify, "),
        (["token", "lst"], "There is no \"token lst\": type create, list or revoke."),
    ])
    func `a mistyped action is repeated`(words: [String], expected: String) throws {
        let result = try RunningProcess.run(
            "anabranchd", words + ["--store", store], scratch: directory.url)
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("anabranchd: \(expected)"), "\(result.errors)")
    }

    @Test func `an operator drops a replica by its ID`() throws {
        _ = try run("zone", "create", "a", "--store", store)
        let unknown = String(repeating: "0", count: 31) + "1"
        let none = try run("zone", "forget", "a", unknown, "--store", store)
        #expect(none.status == 1)
        #expect(none.errors.contains("Zone a keeps no entries for a replica "))
        #expect(try run("zone", "forget", "a", "--store", store).status == 64)
        #expect(try run("zone", "forget", "a", "ada", "--store", store).status == 64)
        let token = try makeToken()
        var generator = SeededGenerator(seed: 0xF0)
        var author = HostileAuthor(&generator)
        let (replica, save) = (author.replica, author.save(HostileAuthor.noChanges))
        try serve(token) { client in
            let head = try client.head(afterPushing: save)
            #expect(head == 1)
        }
        // It is dropped, and returns, and is dropped again.
        for _ in 0..<2 {
            try serve(token) { client in
                let start = LogCursor(startOf: try client.hello().epoch)
                _ = try client.hello(as: replica, cursor: start)
            }
            let dropped = try run("zone", "forget", "a", "\(replica)", "--store", store)
            #expect(dropped.status == 0)
            #expect(
                dropped.output
                    == "Zone a keeps no entries for replica \(replica) until it returns.\n")
            let again = try run("zone", "forget", "a", "\(replica)", "--store", store)
            #expect(again.status == 1)
        }
    }
}
