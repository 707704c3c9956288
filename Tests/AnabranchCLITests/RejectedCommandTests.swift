import Foundation
import TestSupport
import Testing

/// A daemon that rejects saves above 1,024 bytes, and a store with such saves.
@Suite(.waiting) struct RejectedCommandTests {
    private let daemon: RunningDaemon
    private let bench: Workbench
    private let long = String(repeating: "x", count: 1_500)

    init() throws {
        daemon = try RunningDaemon(zone: "geo", options: ["--change-set-limit", "1024"])
        bench = try Workbench()
    }

    @discardableResult
    private func run(_ words: String..., status: Int32 = 0) throws -> ToolRun {
        let run = try ToolRun([words[0], bench.store] + words.dropFirst())
        #expect(run.status == status, "\(words): \(run.errors)")
        return run
    }

    private func sync(_ words: String...) throws -> ToolRun {
        let run = try ToolRun(
            [
                "sync", bench.store, "--server", daemon.url, "--zone", "geo", "--token-file",
                daemon.tokenFile,
            ] + words)
        #expect(run.status == 0, "\(run.errors)")
        return run
    }

    private func id() throws -> String {
        let json = try run("rejected", "--json").output
        return String(
            try #require(json.split(separator: ",").first?.split(separator: ":").last))
    }

    /// Inserts a country whose name is too long, changes it, and syncs.
    private func beRejected() throws -> ToolRun {
        try run("insert", "Country", "code=FR", "name=\(long)", "--author", "Ada")
        try run("update", "Country", "code=FR", "name=France")
        try run("insert", "City", "name=Lyon", "people=1")
        return try sync()
    }

    @Test func `the list reports what was rejected, its author and the reason`() throws {
        #expect(try run("rejected").output == "Nothing was rejected.\n")
        let synced = try beRejected()
        #expect(synced.output.contains("The zone rejected 1 save; see 'anabranch rejected'."))
        #expect(synced.output.contains("caught up"))
        let lines = try run("rejected").lines
        #expect(
            lines.first?.split(separator: " ") == ["ID", "SAVED", "BY", "CHANGES", "REJECTED"])
        let row = try #require(lines.last)
        #expect(row.contains("Ada") && row.contains("+1 Country, ~1 Country (name)"), "\(row)")
        #expect(row.contains("because the limit is 1024. (too-large)"), "\(row)")
        let json = try run("rejected", "--json").output
        #expect(json.contains(#""author":"Ada""#) && json.contains(#""code":"too-large""#))
        #expect(json.contains(#""laterSaves":1"#))
        #expect(try run("fetch", "Country", "--json").output.isEmpty)
        #expect(try run("fetch", "City", "--json").lines.count == 1)
        #expect(try run("status").output.contains("1 save; see 'anabranch rejected'"))
        #expect(try run("status", "--json").output.contains(#""rejected":1"#))
        #expect(try run("log").output.contains("rejected: Can't accept change set"))
        #expect(try sync("--json").output.contains(#""rejected":0"#))
    }

    @Test func `a rejected save is saved again as a new record, which the zone accepts`() throws {
        _ = try beRejected()
        let id = try id()
        let again = try run("rejected", "--save-again", id, "--author", "Eve", "--json").output
        #expect(again.contains(#""leftOut":0"#) && again.contains("/Country/"), "\(again)")
        #expect(try run("rejected").output == "Nothing was rejected.\n")
        // The later save had shortened the name.
        #expect(try run("get", "Country", "code=FR").output.contains("France"))
        #expect(!(try sync().output.contains("rejected")))
        #expect(try run("fetch", "Country", "--json").lines.count == 1)
        #expect(try run("log", "--limit", "1").output.contains("Eve"))
        #expect(try run("rejected", "--save-again", id, status: 1).errors.contains("no rejected"))
    }

    @Test func `rejected saves are discarded one by one and all at once`() throws {
        for code in ["AA", "BB", "CC"] {
            try run("insert", "Country", "code=\(code)", "name=\(long)")
        }
        #expect(try sync().output.contains("rejected 3 saves"))
        let id = try id()
        #expect(try run("rejected", "--limit", "2", "--json").lines.count == 2)
        #expect(try run("rejected", "--discard", id).output == "Discarded 1 save.\n")
        #expect(try run("rejected", "--discard", id, status: 1).errors.contains("no rejected save"))
        #expect(try run("rejected", "--discard-all", "--json").output == "{\"discarded\":2}\n")
        #expect(try run("rejected").output == "Nothing was rejected.\n")
    }

    @Test(arguments: [
        (["--discard", "1", "--save-again", "1"], "--save-again and --discard do not go together"),
        (["--discard-all", "--limit", "1"], "--limit and --discard-all do not go together"),
        (["--save-again", "x"], "--save-again takes a whole number"),
    ])
    func `words that do not go together end with 64`(words: [String], expected: String) throws {
        let run = try ToolRun(["rejected", bench.store] + words)
        #expect(run.status == 64)
        #expect(run.errors.contains(expected), "\(run.errors)")
    }
}
