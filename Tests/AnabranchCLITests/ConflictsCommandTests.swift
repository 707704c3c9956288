import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct ConflictsCommandTests {
    private let daemon: RunningDaemon
    private let first: Workbench
    private let second: Workbench

    init() throws {
        daemon = try RunningDaemon(zone: "geo")
        first = try Workbench()
        second = try Workbench()
        try Self.sync(first, daemon)
        try Self.run(first, "insert", "Country", "code=FR", "name=France")
        try Self.run(first, "insert", "City", "name=Lyon", "people=1")
        try Self.sync(first, daemon)
        try Self.sync(second, daemon)
    }

    private static func sync(_ bench: Workbench, _ daemon: RunningDaemon) throws {
        try run(
            bench, "sync", "--server", daemon.url, "--zone", "geo", "--token-file",
            daemon.tokenFile)
    }

    @discardableResult
    private static func run(_ bench: Workbench, _ words: String...) throws -> ToolRun {
        let run = try ToolRun([words[0], bench.store] + words.dropFirst())
        #expect(run.status == 0, "\(words): \(run.errors)")
        return run
    }

    private func exchange() throws {
        for bench in [first, second, first] { try Self.sync(bench, daemon) }
    }

    /// Renames the country in both stores; the first store's name loses.
    private func collide(_ lost: String, _ winning: String) throws {
        try Self.run(first, "update", "Country", "code=FR", "name=\(lost)", "--author", "Ada")
        try Self.run(second, "update", "Country", "code=FR", "name=\(winning)", "--author", "Bob")
        try exchange()
    }

    private func ids(_ bench: Workbench, _ words: String...) throws -> [String] {
        try ToolRun(["conflicts", bench.store, "--json"] + words).lines.compactMap {
            $0.split(separator: ",").first?.split(separator: ":").last.map(String.init)
        }
    }

    @Test func `the list reports the discarded value, the winner, their authors and times`() throws
    {
        try collide("Gallia", "Francia")
        for bench in [first, second] {
            let lines = try Self.run(bench, "conflicts").lines
            #expect(
                lines.first?.split(separator: " ") == [
                    "ID", "RECORD", "PROPERTY", "LOST", "BY", "WRITTEN", "AGAINST",
                ])
            let row = try #require(lines.last)
            #expect(row.contains("Country "))
            #expect(
                try #require(row.wholeMatch(of: /.* name +Gallia +Ada +(\S+Z) +(.*), (\S+Z)/)).2
                    == "Francia: Bob wrote later", "\(row)")
            let json = try Self.run(bench, "conflicts", "--json").output
            #expect(json.contains(#""value":"Gallia","lost":{"author":"Ada""#), "\(json)")
            #expect(json.contains(#""winningValue":"Francia","winner":{"author":"Bob""#))
            #expect(json.contains(#""kind":"concurrentWrite""#) && json.contains(#""rule":"last"#))
        }
        let status = try Self.run(first, "status").output
        #expect(status.contains("1 in the journal; see 'anabranch conflicts'"))
    }

    @Test func `the list is narrowed by entity, record and number`() throws {
        try collide("Gallia", "Francia")
        try Self.run(first, "update", "City", "name=Lyon", "people=2")
        try Self.run(second, "update", "City", "name=Lyon", "people=3")
        try exchange()
        let all = try ids(first)
        #expect(all.count == 2)
        #expect(try ids(first, "City") == [all[0]])
        #expect(try ids(first, "Country", "--record", "code=FR") == [all[1]])
        #expect(try ids(first, "--limit", "1") == [all[0]])
        let fetched = try Self.run(first, "fetch", "Country", "--json").output
        let uri = try #require(fetched.split(separator: "\"").first { $0.hasPrefix("anabranch:") })
        #expect(try ids(first, "--record", String(uri)) == [all[1]])
        #expect(try ids(first, "City", "--record", String(uri)).isEmpty)
        #expect(try first.run("conflicts", "--record", "ffffffff/1").lines.count == 1)
    }

    @Test func `a restored value is saved, travels, and its entry stays`() throws {
        try collide("Gallia", "Francia")
        let id = try #require(try ids(first).first)
        let run = try Self.run(first, "conflicts", "--restore", id, "--author", "Eve")
        #expect(run.output.hasPrefix("Restored name of Country "))
        #expect(try Self.run(first, "log", "--limit", "1").output.contains("Eve"))
        try exchange()
        for bench in [first, second] {
            #expect(try bench.run("get", "Country", "code=FR").output.contains("Gallia"))
            #expect(try ids(bench).count == 1)
        }
    }

    @Test func `values lost with a deleted record are restored as a new record`() throws {
        try Self.run(first, "update", "City", "name=Lyon", "name=Lugdunum", "people=9")
        try Self.run(second, "delete", "City", "name=Lyon")
        try exchange()
        let id = try #require(try ids(first).first)
        let refused = try first.run("conflicts", "--restore", id)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("is deleted and does not come back"))
        #expect(refused.errors.contains("--as-new"), "\(refused.errors)")
        let run = try Self.run(first, "conflicts", "--restore", id, "--as-new", "--json")
        #expect(run.output.contains(#""@entity":"City""#))
        try exchange()
        let found = try Self.run(second, "fetch", "City", "--json").output
        #expect(found.contains(#""name":"Lugdunum","people":9"#), "\(found)")
        #expect(found.split(separator: "\n").count == 1)
    }

    @Test func `restoring as new what was not deleted is refused`() throws {
        try collide("Gallia", "Francia")
        let id = try #require(try ids(first).first)
        let run = try first.run("conflicts", "--restore", id, "--as-new")
        #expect(run.status == 1 && run.errors.contains("was not deleted"), "\(run.errors)")
        #expect(try Self.run(first, "fetch", "Country", "--json").lines.count == 1)
    }

    @Test(.long) func `entries are purged one by one, by number, by age and all at once`() throws {
        for number in 1...5 { try collide("lost \(number)", "won \(number)") }
        let all = try ids(first)
        #expect(try Self.run(first, "conflicts", "--purge", all[2]).output == "Purged 1 entry.\n")
        #expect(try ids(first) == [all[0], all[1], all[3], all[4]])
        let again = try first.run("conflicts", "--purge", all[2])
        #expect(again.status == 1 && again.errors.contains("There is no conflict \(all[2])"))
        #expect(try first.run("conflicts", "--restore", all[2]).status == 1)
        let old = try Self.run(first, "conflicts", "--purge-older-than", "30d", "--json")
        #expect(old.output == "{\"purged\":0}\n")
        _ = try Self.run(first, "conflicts", "--purge-all-but", "2")
        #expect(try ids(first) == [all[0], all[1]])
        #expect(
            try Self.run(first, "conflicts", "City", "--purge-all").output.contains("0 entries"))
        #expect(
            try Self.run(first, "conflicts", "--purge-older-than", "0s").output
                == "Purged 2 entries.\n")
        #expect(try ids(second).count == 5)
        _ = try Self.run(second, "conflicts", "--purge-all", "--record", try recordID())
        #expect(try ids(second).isEmpty)
    }

    private func recordID() throws -> String {
        let fetched = try Self.run(second, "fetch", "Country", "--json").output
        return String(
            try #require(fetched.split(separator: "\"").first { $0.hasPrefix("anabranch:") }))
    }
}

@Suite(.waiting) struct `The words of the command conflicts` {
    @Test(arguments: [
        (["--purge", "1", "--restore", "1"], "--restore and --purge do not go together"),
        (["--purge-all", "--limit", "1"], "--limit and --purge-all do not go together"),
        (["--as-new"], "--as-new can only be used with --restore ID"),
        (["--record", "code=FR"], "needs ENTITY"),
        (["City", "--purge", "1"], "can only be used with a list"),
        (["--purge-older-than", "soon"], "takes a whole number followed by s, m, h, d or w"),
        (["--restore", "x"], "--restore takes a whole number"),
        (["Town"], "The store has no entity 'Town'"),
    ])
    func `end with 64 if they do not go together`(words: [String], expected: String) throws {
        let bench = try Workbench()
        let run = try ToolRun(["conflicts", bench.store] + words)
        #expect(run.status == 64)
        #expect(run.errors.contains(expected), "\(run.errors)")
    }
}
