import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct OrphansCommandTests {
    private let first: Workbench
    private let second: Workbench

    /// Creates a store of the Geo model, in which deleting a city deletes its streets.
    init() throws {
        first = try Workbench()
        second = try Workbench()
        try Self.run(first, "insert", "City", "name=Lyon", "people=1")
        try give(first, second)
    }

    @discardableResult
    private static func run(_ bench: Workbench, _ words: String...) throws -> ToolRun {
        let run = try ToolRun([words[0], bench.store] + words.dropFirst())
        #expect(run.status == 0, "\(words): \(run.errors)")
        return run
    }

    private func give(_ sender: Workbench, _ receiver: Workbench) throws {
        let file = sender.folder.file("\(UUID().uuidString).bundle")
        for words in [
            ["bundle", "create", sender.store, file], ["bundle", "apply", receiver.store, file],
        ] {
            let run = try ToolRun(words)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test func `records that a deleted parent has left behind are listed`() throws {
        #expect(try Self.run(first, "orphans").output == "There are no orphans.\n")
        try Self.run(second, "insert", "Street", "name=Rue", "city=name=Lyon")
        try Self.run(first, "delete", "City", "name=Lyon")
        try give(second, first)
        let lines = try Self.run(first, "orphans").lines
        #expect(lines.first?.split(separator: " ") == ["RECORD", "PARENT", "WAS"])
        #expect(try #require(lines.last).contains(/^Street \w+\/\d+ +city +City \w+\/\d+$/))
        let json = try Self.run(first, "orphans", "Street", "--json").output
        #expect(json.contains(#""entity":"Street","relationship":"city","parent":""#), "\(json)")
        #expect(try Self.run(first, "orphans", "City").output == "There are no orphans.\n")
        #expect(
            try Self.run(first, "orphans", "--offset", "1").output == "There are no orphans.\n")
        #expect(try ToolRun(["orphans", first.store, "Sea"]).status != 0)
    }
}
