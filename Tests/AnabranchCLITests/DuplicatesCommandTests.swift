import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct DuplicatesCommandTests {
    private let first: Workbench
    private let second: Workbench

    init() throws {
        first = try Workbench()
        second = try Workbench()
    }

    @discardableResult
    private func run(_ bench: Workbench, _ words: String...) throws -> ToolRun {
        let run = try ToolRun([words[0], bench.store] + words.dropFirst())
        #expect(run.status == 0, "\(words): \(run.errors)")
        return run
    }

    /// Inserts a country with one code in both stores, and brings the second one into the first.
    private func merge() throws {
        for (bench, name, author) in [(first, "France", "Ada"), (second, "Frankreich", "Bob")] {
            try run(bench, "insert", "Country", "code=FR", "name=\(name)", "--author", author)
        }
        let file = first.folder.file("second.bundle")
        for words in [
            ["bundle", "create", second.store, file], ["bundle", "apply", first.store, file],
        ] {
            let run = try ToolRun(words)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test func `records that show as one are listed`() throws {
        #expect(try run(first, "duplicates").output == "There are no duplicates.\n")
        try merge()
        let lines = try run(first, "duplicates").lines
        #expect(
            lines.first?.split(separator: " ") == [
                "OBJECT", "RECORD", "PROPERTY", "HELD", "BY", "WRITTEN", "SHOWN",
            ])
        // One line for each record, and the name that lost.
        #expect(lines.count == 3)
        let lost = try #require(lines.first { $0.contains("name") })
        let form =
            /Country \w+\/\d+ +\w+\/\d+ +name +(Fr\w+) +(Ada|Bob) +\S+Z +(Fr\w+)/
        let values = try #require(lost.wholeMatch(of: form)).output
        #expect(Set([values.1, values.3]) == ["France", "Frankreich"], "\(lost)")
        #expect((values.1 == "France") == (values.2 == "Ada"))
        let json = try run(first, "duplicates", "Country", "--json").output
        #expect(json.contains(#""entity":"Country","others":[""#), "\(json)")
        #expect(json.contains(#""members":[{"record":""#), "\(json)")
        #expect(json.contains(#""hidden":[{"property":"name","rule":"uniqueKey""#), "\(json)")
        #expect(
            json.contains(#""value":"\#(values.1)","held":{"author":"\#(values.2)""#), "\(json)")
        #expect(json.contains(#""shownValue":"\#(values.3)""#), "\(json)")
        #expect(try run(first, "duplicates", "City").output == "There are no duplicates.\n")
        let rest = try run(first, "duplicates", "--limit", "1", "--offset", "1").output
        #expect(rest == "There are no duplicates.\n")
        #expect(try ToolRun(["duplicates", first.store, "Sea"]).status != 0)
        #expect(try run(first, "fetch", "Country").output.contains("Frankreich"))
    }

    @Test func `a record that is merged into another one is shown by that one`() throws {
        try merge()
        let ids = try run(first, "duplicates").lines.dropFirst().compactMap {
            $0.split(separator: " ").dropFirst(2).first.map(String.init)
        }
        try #require(ids.count == 2)
        let shown = try run(first, "get", "Country", ids[0])
        #expect(!shown.output.contains("is merged into this record"))
        #expect(shown.output.contains("Held and not shown:"), "\(shown.output)")
        let merged = try run(first, "get", "Country", ids[1])
        #expect(merged.lines.first == "Country \(ids[0])", "\(merged.output)")
        #expect(merged.output.contains("  \(ids[1]) is merged into this record"))
        let json = try run(first, "get", "Country", ids[1], "--json").output
        #expect(json.contains(#""@merged":[""#), "\(json)")
        #expect(json.contains(#""@hidden":[{"property":"name","rule":"uniqueKey""#), "\(json)")
        let refused = try ToolRun(["update", first.store, "Country", ids[1], "name=x"])
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains("is merged into Country \(ids[0])"), "\(refused.errors)")
    }

    @Test func `the values that lost are listed beside the journal`() throws {
        let before = try run(first, "conflicts", "--hidden")
        #expect(before.output == "Every value that is held is shown.\n")
        try merge()
        let journal = try run(first, "conflicts")
        #expect(journal.output == "The journal is empty.\n")
        #expect(journal.errors.contains("held and not shown"), "\(journal.errors)")
        let lines = try run(first, "conflicts", "--hidden").lines
        #expect(lines.count == 2)
        #expect(lines.last?.contains("another record with its unique key shows") == true)
        let json = try run(first, "conflicts", "Country", "--hidden", "--json").output
        #expect(json.contains(#""hidden":{"property":"name","rule":"uniqueKey""#), "\(json)")
        let ofRecord = try run(
            first, "conflicts", "Country", "--hidden", "--record", "code=FR")
        #expect(ofRecord.lines.count == 2)
        #expect(
            try run(first, "conflicts", "City", "--hidden").output
                == "Every value that is held is shown.\n")
        let refused = try ToolRun(["conflicts", first.store, "--hidden", "--purge-all"])
        #expect(refused.status == 64 && refused.errors.contains("--hidden and --purge-all"))
    }
}
