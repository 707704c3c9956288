import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct UsageTests {
    @Test(arguments: [
        (["ftech"], "Did you mean 'fetch'?"),
        (["--store", "x"], "The command comes first"),
        (["fetch"], "'fetch' needs STORE and ENTITY: anabranch fetch STORE ENTITY [OPTION…]"),
        (["fetch", "a", "City", "--wher", "x"], "Did you mean --where?"),
        (
            ["fetch", "a", "City", "more"],
            "takes no further argument 'more': anabranch fetch STORE ENTITY [OPTION…]\n"
        ),
        (["fetch", "a", "City", "--limit", "-1"], "--limit takes a whole number of at least 1"),
        (["init", "a"], "anabranch init a --model FILE"),
        (["init", "a", "--model", ""], "anabranch init a --model FILE"),
        (["update", "a", "City", "name=x"], "needs at least one change"),
        (["delete", "a", "City"], "needs either RECORD or --where"),
        (["import", "a", "City", "file"], "Type --format csv or json."),
        (["sync", "a", "--server", "nonsense"], "--server takes a URL"),
        (["sync", "a", "--server", "https://ada:secret@["], "not '…@['"),
        (["sync", "a", "--token", "secret"], "There is no option --token."),
    ])
    func `a bad command line says what to type and ends with 64`(
        words: [String], expected: String
    ) throws {
        let run = try ToolRun(words)
        #expect(run.status == 64)
        #expect(run.errors.hasPrefix("anabranch: "))
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(run.errors.contains("--help' for help."))
        #expect(run.output.isEmpty)
    }

    @Test(arguments: ["anabranch", "anabranchd"])
    func `without arguments the overview goes to standard error, with status 64`(
        program: String
    ) throws {
        let run = try ToolRun([], of: program)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        let help = try ToolRun(["--help"], of: program)
        #expect(help.status == 0)
        #expect(run.errors.contains(/(?m)^Usage:\s/))
        #expect(run.errors == help.output)
    }

    @Test func `an option of the daemon with an empty value does not take the next word`() throws {
        let folder = try TemporaryDirectory("anabranch-cli")
        let run = try ToolRun(
            [
                "token", "create", "--role", "write", "--store",
                "sqlite:\(folder.file("zones"))", "--zone=", "geo",
            ], of: "anabranchd")
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.output.isEmpty, "no token of the zone geo was made")
    }

    @Test func `help goes to standard output`() throws {
        for words in [["--help"], ["-h"], ["help"]] {
            let run = try ToolRun(words)
            #expect(run.status == 0)
            #expect(run.output.hasPrefix("Usage: anabranch COMMAND"))
        }
        #expect(try ToolRun(["help", "sync"]).output == ToolRun(["sync", "--help"]).output)
        #expect(try ToolRun(["--version"]).output.hasPrefix("anabranch "))
    }

    @Test func `names of the model are checked with suggestions`() throws {
        let bench = try Workbench()
        let entity = try bench.run("fetch", "Citty")
        #expect(entity.status == 64)
        #expect(entity.errors.contains("Did you mean City?"))
        #expect(
            try bench.run("fetch", "City", "--columns", "nam").errors.contains("Did you mean name?")
        )
        #expect(try bench.run("fetch", "City", "--columns", "name.x").status == 64)
        #expect(
            try bench.run("insert", "City", "name=x", "people=x").errors.contains(
                "takes a whole number"))
        #expect(try bench.run("insert", "City", "name").status == 64)
        let several = try bench.run("insert", "City", "people=x", "nam=Bonn", "country=x")
        #expect(several.status == 64)
        for refused in [
            "City.people takes a whole number", "Did you mean name?", "is not the name of a record",
        ] {
            #expect(several.errors.contains(refused), "\(several.errors)")
        }
        #expect(try bench.run("insert", "City", "country=x").status == 64)
        let missing = try bench.run("insert", "City", "people=1")
        #expect(missing.status == 65)
        #expect(missing.errors.contains("name"))
        #expect(try bench.run("fetch", "City", "--count").output == "0\n")
    }

    @Test func `a predicate's error names the column`() throws {
        let bench = try Workbench()
        let syntax = try bench.run("fetch", "City", "--where", "people >")
        #expect(syntax.status == 64)
        #expect(syntax.errors.contains("at column "), "\(syntax.errors)")
        #expect(try bench.run("fetch", "City", "--where", "peple > 1").errors.contains("peple"))
    }

    @Test func `a missing record ends with 1, and a missing file with 66`() throws {
        let bench = try Workbench()
        let record = try bench.run("get", "City", "name=Atlantis")
        #expect(record.status == 1)
        #expect(record.errors == "anabranch: There is no City with name=Atlantis.\n")
        #expect(try bench.run("get", "City", "00000000/7").status == 1)
        let store = try ToolRun(["status", bench.folder.file("b.store")])
        #expect(store.status == 66)
        #expect(store.errors.contains("To create one, type: anabranch init"))
        #expect(try bench.run("import", "City", "nothing.csv").status == 66)
        #expect(!FileManager.default.fileExists(atPath: bench.folder.file("b.store")))
    }

    @Test func `a file that is no store ends with 65`() throws {
        let bench = try Workbench()
        let text = try bench.write(String(repeating: "not a store ", count: 1000), to: "t.store")
        #expect(try ToolRun(["status", text]).status == 65)
        #expect(try ToolRun(["status", bench.folder.path]).status == 65)
    }

    @Test(.enabled(if: ToolRun.canBeNobody))
    func `a store in a folder that can't be written is read if it was closed`() throws {
        let bench = try Workbench()
        let files = FileManager.default
        func setMode(_ mode: Int) throws {
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: bench.folder.path)
        }
        // The tool creates files for their owner alone.
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: bench.store)
        try setMode(0o555)
        defer { try? setMode(0o755) }
        let status = try ToolRun(["status", bench.store], isNobody: true)
        #expect(status.status == 0, "\(status.errors)")
        let insertion = ["insert", bench.store, "Country", "code=FR"]
        try setMode(0o777)
        try Data([1]).write(to: URL(filePath: bench.store + "-wal"))
        try setMode(0o555)
        for words in [["status", bench.store], insertion] {
            let run = try ToolRun(words, isNobody: true)
            #expect(run.status == 77, "\(run.errors)")
            #expect(run.errors.contains("Copy the store"), "\(run.errors)")
        }
        try setMode(0o777)
        try files.removeItem(atPath: bench.store + "-wal")
        // In a writable folder the file itself need not be writable.
        try setMode(0o777)
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: bench.store)
        let read = try ToolRun(["status", bench.store], isNobody: true)
        #expect(read.status == 0, "\(read.errors)")
        let write = try ToolRun(["insert", bench.store, "Country", "code=FR"], isNobody: true)
        #expect(write.status == 77, "\(write.errors)")
    }

    @Test func `the environment names the store`() throws {
        let bench = try Workbench()
        let run = try ToolRun(
            ["fetch", "City", "--count"], environment: ["ANABRANCH_STORE": bench.store])
        #expect(run.output == "0\n")
    }

    @Test func `sync without a server, or with none that answers, says so`() throws {
        let bench = try Workbench()
        let none = try bench.run("sync")
        #expect(none.status == 64)
        let secret = try bench.write("anb_secret\n", to: "token")
        let plain = try bench.run(
            "sync", "--server", "http://example.org", "--zone", "z", "--token-file", secret)
        #expect(plain.status == 64)
        #expect(plain.errors.contains("https"))
        #expect(!plain.errors.contains("anb_secret"))
        #expect(
            try bench.run(
                "sync", "--server", "http://127.0.0.1:1", "--zone", "z", "--token-file", "nowhere"
            ).status == 66)
        #expect(try bench.run("fetch", "City", "--count").status == 0)
    }

    @Test func `no colours reach a file`() throws {
        let bench = try Workbench()
        #expect(!(try bench.run("status").output.contains("\u{1B}")))
    }
}
