import AnabranchReplication
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct BundleCommandTests {
    private func codes(_ store: String) throws -> [Substring] {
        try ToolRun(["fetch", store, "Country", "--sort", "code", "--columns", "code", "--json"])
            .lines.map { $0.suffix(4).prefix(2) }
    }

    @Test func `two stores exchange all they have without a server`() throws {
        let (ada, bob) = (try Workbench(), try Workbench())
        _ = try ada.run("insert", "Country", "code=FR", "--author", "Ada")
        _ = try bob.run("insert", "Country", "code=DE", "--author", "Bob")
        let all = ada.folder.file("all.bundle")
        let wrote = try ToolRun(["bundle", "create", ada.store, all])
        #expect(wrote.status == 0, "\(wrote.errors)")
        #expect(wrote.output.hasPrefix("Wrote 1 change set, "))
        let applied = try ToolRun(["bundle", "apply", bob.store, all, all])
        #expect(
            applied.output == """
                \(all): applied 1 change set, 0 already held.
                \(all): applied 0 change sets, 1 already held.

                """)
        let answer = ada.folder.file("answer.bundle")
        let since = try ToolRun(["bundle", "create", bob.store, answer, "--since", all, "--json"])
        #expect(since.output.contains(#""changeSets":1,"#), "\(since.output)\(since.errors)")
        let taken = try ToolRun(["bundle", "apply", ada.store, answer, "--json"])
        #expect(
            taken.output == #"{"file":"\#(answer)","applied":1,"held":0,"waiting":0}"# + "\n")
        #expect(try codes(ada.store) == ["DE", "FR"])
        #expect(try ada.run("hash").output == bob.run("hash").output)
    }

    @Test func `the environment names the store, and the words are bundles`() throws {
        let (ada, bob) = (try Workbench(), try Workbench())
        _ = try ada.run("insert", "Country", "code=FR")
        let (one, two) = (ada.folder.file("one.bundle"), ada.folder.file("two.bundle"))
        let environment = ["ANABRANCH_STORE": ada.store]
        let first = try ToolRun(["bundle", "create", one], environment: environment)
        #expect(first.output.hasPrefix("Wrote 1 change set, "), "\(first.errors)")
        // A store that the command names takes precedence.
        _ = try bob.run("insert", "Country", "code=DE")
        let second = try ToolRun(["bundle", "create", bob.store, two], environment: environment)
        #expect(second.output.hasPrefix("Wrote 1 change set, "), "\(second.errors)")
        let cyd = try Workbench()
        let applied = try ToolRun(
            ["bundle", "apply", one, two], environment: ["ANABRANCH_STORE": cyd.store])
        #expect(applied.status == 0, "\(applied.errors)")
        #expect(try codes(cyd.store) == ["DE", "FR"])
        let named = try ToolRun(
            ["bundle", "apply", "--store", bob.store, one], environment: environment)
        #expect(named.status == 0, "\(named.errors)")
        #expect(try codes(bob.store) == ["DE", "FR"])
        #expect(try codes(ada.store) == ["FR"])
    }

    @Test func `show lists each save with its author and its causal context`() throws {
        let bench = try Workbench()
        _ = try bench.run("insert", "Country", "code=FR", "--author", "Ada")
        let file = bench.folder.file("a.bundle")
        _ = try ToolRun(["bundle", "create", bench.store, file])
        let shown = try ToolRun(["bundle", "show", file])
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("Written by"))
        #expect(shown.output.contains("Ada"))
        #expect(shown.output.contains("+1 Country"))
        let json = try ToolRun(["bundle", "show", file, "--json"])
        #expect(json.lines.count == 2)
        #expect(json.lines.first?.contains(#""vector":""#) == true)
        #expect(json.lines.first?.contains(#""needs":"""#) == true)
        #expect(shown.output.contains("Needs         nothing"))
        #expect(json.lines.last?.contains(#""author":"Ada""#) == true)
    }

    @Test func `a vector and a replica say what is left out`() throws {
        let (ada, bob) = (try Workbench(), try Workbench())
        let file = ada.folder.file("a.bundle")
        _ = try ada.run("insert", "Country", "code=FR")
        _ = try ToolRun(["bundle", "create", ada.store, file])
        _ = try ToolRun(["bundle", "apply", bob.store, file])
        let status = try bob.run("status", "--json").output
        let vector = try #require(status.firstMatch(of: /"vector":"([^"]+)"/)).output.1
        _ = try ada.run("insert", "Country", "code=DE")
        let created = try ToolRun(
            ["bundle", "create", ada.store, file, "--since", String(vector), "--json"])
        #expect(created.output.contains(#""changeSets":1,"#), "\(created.errors)")
        let replica = try #require(vector.split(separator: ":").first)
        let own = try ToolRun(
            ["bundle", "create", ada.store, file, "--since", String(replica), "--json"])
        #expect(own.output.contains(#""changeSets":0,"#), "\(own.errors)")
    }

    @Test func `a change set that comes too early waits, and status reports it`() throws {
        let (ada, bob, cyd) = (try Workbench(), try Workbench(), try Workbench())
        let (first, second) = (ada.folder.file("1.bundle"), ada.folder.file("2.bundle"))
        _ = try ada.run("insert", "Country", "code=FR")
        _ = try ToolRun(["bundle", "create", ada.store, first])
        _ = try ToolRun(["bundle", "apply", bob.store, first])
        _ = try bob.run("update", "Country", "code=FR", "name=France")
        _ = try ToolRun(["bundle", "create", bob.store, second, "--since", first])
        let needs = try ToolRun(["bundle", "show", second, "--json"]).output
        #expect(needs.contains(/"needs":"[0-9a-f]{32}:1"/), "\(needs)")
        let early = try ToolRun(["bundle", "apply", cyd.store, second])
        #expect(early.status == 0)
        #expect(
            early.output.contains("1 change set waits for missing change sets"),
            "\(early.output)")
        #expect(try cyd.run("status").output.contains("Waiting       1 change set of bundles"))
        #expect(try cyd.run("status", "--json").output.contains(#""waiting":1"#))
        let late = try ToolRun(["bundle", "apply", cyd.store, first])
        #expect(late.output.contains("applied 2 change sets"), "\(late.output)")
        #expect(try cyd.run("hash").output == bob.run("hash").output)
    }

    @Test func `a bundle's change sets reach the zone through the first replica that syncs`() throws
    {
        let daemon = try RunningDaemon(zone: "geo")
        let (ada, bob) = (try Workbench(), try Workbench())
        _ = try ada.run("insert", "Country", "code=FR")
        let file = ada.folder.file("a.bundle")
        _ = try ToolRun(["bundle", "create", ada.store, file])
        _ = try ToolRun(["bundle", "apply", bob.store, file])
        let zone = ["--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile]
        let pushed = try ToolRun(["sync", bob.store, "--json"] + zone)
        #expect(pushed.output.contains(#""pushed":1"#), "\(pushed.errors)")
        let echoed = try ToolRun(["sync", ada.store, "--json"] + zone)
        #expect(echoed.output.contains(#""pulled":1,"pushed":0"#), "\(echoed.output)")
        let hashes = [try ada.run("hash").output, try bob.run("hash").output]
        #expect(hashes == [hashes[0], try daemon.hash(ofZone: "geo")])
    }

    @Test func `creating a bundle never replaces the store, whichever path names it`() throws {
        let bench = try Workbench()
        _ = try bench.run("insert", "Country", "code=FR")
        let hash = try bench.run("hash").output
        let (store, link) = (bench.store, bench.folder.file("link"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
        let environment = ["ANABRANCH_STORE": store]
        for run in [
            try ToolRun(["bundle", "create", store], environment: environment),
            try ToolRun(["bundle", "create", link], environment: environment),
            try ToolRun(["bundle", "create", store, store]),
            try ToolRun(["bundle", "create", store, link]),
            try ToolRun(["bundle", "create", link, store]),
        ] {
            #expect(run.status == 64)
            #expect(run.errors.contains("replace the store"), "\(run.errors)")
            #expect(run.errors.contains("Choose another file"))
        }
        // Nor of what belongs to it, of another store, or of anything but a bundle.
        let other = try Workbench()
        for file in [store + "-wal", other.store, try bench.write("text", to: "text")] {
            let run = try ToolRun(["bundle", "create", file], environment: environment)
            #expect(run.status == 73, "\(run.errors)")
            #expect(run.errors.contains("hoose another name"), "\(run.errors)")
        }
        #expect(try bench.run("hash").output == hash)
        #expect(try other.run("status").status == 0)
    }

    @Test func `a failed write or read is reported with its cause`() throws {
        let bench = try Workbench()
        let folder = try ToolRun(["bundle", "create", bench.store, bench.folder.path])
        #expect(folder.status == 66)
        #expect(folder.errors.contains("it is a folder"), "\(folder.errors)")
        let nowhere = bench.folder.file("none/a.bundle")
        let missing = try ToolRun(["bundle", "create", bench.store, nowhere])
        #expect(missing.status == 66)
        #expect(missing.errors.contains("No such file or directory"), "\(missing.errors)")
        let shown = try ToolRun(["bundle", "show", bench.folder.path])
        #expect(shown.status == 66)
        #expect(shown.errors.contains("it is a folder"), "\(shown.errors)")
        let none = try ToolRun(["bundle", "apply", bench.store, bench.folder.file("none")])
        #expect(none.errors.contains("No such file or directory"), "\(none.errors)")
    }

    @Test(arguments: [Int64.min, -1, .max])
    func `a bundle with an impossible time is refused and causes no crash`(time: Int64) throws {
        let bench = try Workbench()
        let bundle = BundleHeader.bytesOfBundle(from: ReplicaID(high: 1, low: 1), at: time)
        let file = bench.folder.file("a.bundle")
        try Data(bundle).write(to: URL(filePath: file))
        for words in [["show", file], ["show", file, "--json"], ["apply", bench.store, file]] {
            let run = try ToolRun(["bundle"] + words)
            #expect(run.status == 65, "\(run.errors)")
            #expect(run.errors.contains("a bundle's time"), "\(run.errors)")
        }
    }

    @Test func `errors say what to do, with the status of their kind`() throws {
        let bench = try Workbench()
        let file = try bench.write("no bundle", to: "x.bundle")
        let refused = try ToolRun(["bundle", "apply", bench.store, file])
        #expect(refused.status == 65)
        #expect(refused.errors.contains("at offset 0"), "\(refused.errors)")
        let missing = try ToolRun(["bundle", "apply", bench.store, bench.folder.file("none")])
        #expect(missing.status == 66)
        let new = bench.folder.file("new.bundle")
        let base = try ToolRun(["bundle", "create", bench.store, new, "--since", "yesterday"])
        #expect(base.status == 64)
        #expect(base.errors.contains("REPLICA:NUMBER"), "\(base.errors)")
        let stranger = String(repeating: "ab", count: 16)
        let unknown = try ToolRun(["bundle", "create", bench.store, new, "--since", stranger])
        #expect(unknown.status == 1)
        #expect(try ToolRun(["bundle"]).status == 64)
        let second = try ToolRun(["bundle", "crate"])
        #expect(second.status == 64)
        #expect(second.errors.contains("create, apply or show"))
        #expect(try ToolRun(["bundle", "show", "--help"]).output.contains("anabranch bundle show"))
        #expect(
            try ToolRun(["help", "bundle", "apply"]).output.contains("bundle apply STORE FILE"))
    }
}
