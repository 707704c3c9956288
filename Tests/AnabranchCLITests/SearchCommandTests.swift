import Foundation
import TestSupport
import Testing

/// Tests of the option `--search`.
@Suite(.waiting) struct SearchCommandTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory("search-command")
        let model = folder.url.appending(path: "Notes.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: model.appending(path: "contents"))
        #expect(try ToolRun(["init", store, "--model", model.path]).status == 0)
        for title in ["A long title with swift in it", "Swift", "Rust"] {
            #expect(try ToolRun(["insert", store, "Note", "title=\(title)"]).status == 0)
        }
    }

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Note">
        <attribute name="title" optional="YES" attributeType="String"><userInfo>
        <entry key="anabranch.searchable" value="2 3"/></userInfo></attribute>
        </entity>
        </model>
        """

    private var store: String { folder.file("notes.store") }

    private func fetch(_ options: String...) throws -> ToolRun {
        try ToolRun(["fetch", store, "Note", "--columns", "title"] + options)
    }

    @Test func `the best records come first`() throws {
        let run = try fetch("--search", "sw*")
        #expect(run.status == 0, "\(run.errors)")
        let titles = run.lines.dropFirst().map { $0.split(separator: " ").dropFirst().first }
        #expect(titles == ["Swift", "A"])
        let filtered = try fetch("--search", "sw*", "--where", "title != 'Swift'", "--count")
        #expect(filtered.lines == ["1"])
    }

    @Test func `explain says that an index of words found the rows`() throws {
        let run = try ToolRun(["explain", store, "Note", "--search", "sw*"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("2 rows found by an index of words, "))
        #expect(!run.output.contains("scanned"))
        #expect(run.output.contains(" steps, "))
    }

    @Test func `a wrong query is told without a predicate`() throws {
        let run = try fetch("--search", "swift (")
        #expect(run.status != 0)
        #expect(run.errors.contains("Can't search because in the query"))
        #expect(!run.errors.contains("predicate"))
    }
}
