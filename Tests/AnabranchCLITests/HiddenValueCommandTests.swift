import Foundation
import TestSupport
import Testing

/// Tests of the output for values that a view rule hides.
@Suite(.waiting) struct HiddenValueCommandTests {
    private let first: Workbench
    private let second: Workbench

    init() throws {
        first = try Workbench(model: Self.model)
        second = try Workbench(model: Self.model)
    }

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Folder">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="text" optional="YES" attributeType="String"><userInfo>
        <entry key="anabranch.mergeRule" value="keepBoth"/></userInfo></attribute>
        <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Folder" inverseName="folders" inverseEntity="Folder"><userInfo>
        <entry key="anabranch.acyclic" value="true"/></userInfo></relationship>
        <relationship name="folders" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Folder" inverseName="parent" inverseEntity="Folder"/>
        <relationship name="desk" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Desk" inverseName="owner" inverseEntity="Desk"/>
        </entity>
        <entity name="Desk">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Folder" inverseName="desk" inverseEntity="Folder"/>
        </entity>
        </model>
        """

    @discardableResult
    private func run(_ bench: Workbench, _ words: String...) throws -> ToolRun {
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

    private func exchange() throws {
        try give(first, second)
        try give(second, first)
    }

    /// Inserts folders and desks that both stores have.
    private func begin() throws {
        for name in ["a", "b"] { try run(first, "insert", "Folder", "name=\(name)") }
        for name in ["d", "e"] { try run(first, "insert", "Desk", "name=\(name)") }
        try exchange()
    }

    private func update(
        _ bench: Workbench, _ author: String, _ name: String, _ assignment: String
    ) throws {
        try run(bench, "update", "Folder", "name=\(name)", assignment, "--author", author)
    }

    @Test func `both values of a property that keeps both are shown`() throws {
        try begin()
        try update(first, "Ada", "a", "text=mine")
        try update(second, "Bob", "a", "text=theirs")
        try exchange()
        for bench in [first, second] {
            let lines = try run(bench, "get", "Folder", "name=a").lines
            #expect(lines.contains { $0.contains(/^ +text +theirs$/) }, "\(lines)")
            #expect(
                try #require(lines.last).contains(
                    /^    text  mine, by Ada, \S+Z: the later of both values shows$/), "\(lines)")
            let row = try #require(try run(bench, "conflicts", "--hidden").lines.last)
            #expect(row.contains(/text +mine +Ada +\S+Z +theirs +the later of both/), "\(row)")
        }
        for (predicate, count) in [
            ("ANY text == 'mine'", 1), ("text.@count > 1", 1), ("text == 'mine'", 0),
        ] {
            let found = try run(first, "fetch", "Folder", "--where", predicate, "--json")
            #expect(found.output.contains("theirs") == (count == 1), "\(found.output)")
            let plan = try run(first, "explain", "Folder", "--where", predicate)
            #expect(plan.output.contains("ab_deferred_cell") == (count == 1))
        }
        let narrow = try run(first, "get", "Folder", "name=a", "--columns", "text").output
        #expect(!narrow.contains("mine"))
    }

    @Test func `references that a rule hides are listed with their targets`() throws {
        try begin()
        try update(first, "Ada", "a", "parent=name=b")
        try update(second, "Bob", "b", "parent=name=a")
        for (bench, author, desk) in [(first, "Ada", "d"), (second, "Bob", "e")] {
            try run(bench, "update", "Desk", "name=\(desk)", "owner=name=a", "--author", author)
        }
        try exchange()
        for bench in [first, second] {
            let lines = try run(bench, "conflicts", "--hidden").lines
            #expect(lines.count == 3, "\(lines)")
            #expect(
                lines.contains {
                    $0.contains(/^Folder \S+ +parent +\w+\/\d+ +Bob +\S+Z +null +it would close/)
                }, "\(lines)")
            #expect(
                lines.contains {
                    $0.contains(
                        /^Desk \S+ +owner +\w+\/\d+ +Ada +\S+Z +null +another record holds/)
                }, "\(lines)")
            let json = try run(bench, "conflicts", "Folder", "--hidden", "--json").output
            #expect(json.contains(#""property":"parent","rule":"acyclic""#), "\(json)")
        }
    }
}
