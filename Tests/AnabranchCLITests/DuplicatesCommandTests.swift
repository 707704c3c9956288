import Foundation
import TestSupport
import Testing

@Suite struct DuplicatesCommandTests {
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

    @Test func `records that show as one are listed`() throws {
        #expect(try run(first, "duplicates").output == "There are no duplicates.\n")
        for (bench, name) in [(first, "France"), (second, "Frankreich")] {
            try run(bench, "insert", "Country", "code=FR", "name=\(name)")
        }
        let file = first.folder.file("second.bundle")
        for words in [
            ["bundle", "create", second.store, file], ["bundle", "apply", first.store, file],
        ] {
            let run = try ToolRun(words)
            #expect(run.status == 0, "\(run.errors)")
        }
        let lines = try run(first, "duplicates").lines
        #expect(lines.first?.contains("MERGED DUPLICATES") == true)
        #expect(try #require(lines.last).contains(/^Country \w+\/\d+ +\w+\/\d+$/), "\(lines)")
        let json = try run(first, "duplicates", "Country", "--json").output
        #expect(json.contains(#""entity":"Country","others":[""#), "\(json)")
        #expect(try run(first, "duplicates", "City").output == "There are no duplicates.\n")
        let rest = try run(first, "duplicates", "--limit", "1", "--offset", "1").output
        #expect(rest == "There are no duplicates.\n")
        #expect(try ToolRun(["duplicates", first.store, "Sea"]).status != 0)
        #expect(try run(first, "fetch", "Country").output.contains("Frankreich"))
    }
}
