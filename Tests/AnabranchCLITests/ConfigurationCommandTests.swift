import Foundation
import TestSupport
import Testing

/// Tests of commands with streets that are not synced.
@Suite(.waiting) struct ConfigurationCommandTests {
    private let bench: Workbench

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="City"><attribute name="name" attributeType="String"/></entity>
            <entity name="Draft">
                <attribute name="text" attributeType="String"/>
                <userInfo><entry key="anabranch.unsynced.Local" value="YES"/></userInfo>
            </entity>
            <configuration name="Local"><memberEntity name="Draft"/></configuration>
        </model>
        """

    init() throws { bench = try Workbench(model: Self.model) }

    @Test func `unsynced objects are imported, fetched and exported, and no change set`() throws {
        let hash = try bench.run("hash").output
        let file = try bench.write("text\nfirst\nsecond\n", to: "drafts.csv")
        let run = try bench.run("import", "Draft", file)
        #expect(run.output == "Draft: 2 inserted, in 1 save.\n", "\(run.errors)")
        let fetched = try bench.run("fetch", "Draft", "--sort", "text", "--json")
        #expect(fetched.lines.count == 2 && fetched.lines[0].contains(#""text":"first""#))
        let exported = try bench.run("export", "Draft", "--format", "csv")
        #expect(exported.output.contains("second"), "\(exported.errors)")
        #expect(try bench.run("log").lines.count <= 1)
        #expect(try bench.run("hash").output == hash)
        #expect(try bench.run("verify", "--offline").status == 0)
        #expect(try bench.run("insert", "City", "name=Lyon").status == 0)
        #expect(try bench.run("log", "--json").lines.count == 1)
    }

    @Test func `model show and diff name configurations`() throws {
        let shown = try ToolRun(["model", "show", bench.store])
        #expect(shown.output.contains("Draft, not synced"))
        #expect(shown.output.contains("CONFIGURATION"))
        let next = bench.folder.url.appending(path: "Next.xcdatamodel")
        try FileManager.default.createDirectory(at: next, withIntermediateDirectories: true)
        let text = Self.model.replacing(
            #"</configuration>"#,
            with: #"</configuration><configuration name="All"><memberEntity name="City"/>"#
                + #"</configuration>"#)
        try Data(text.utf8).write(to: next.appending(path: "contents"))
        let difference = try ToolRun(["model", "diff", bench.store, next.path])
        #expect(difference.output.contains("configurations"), "\(difference.errors)")
        let moved = Self.model.replacing(#"value="YES""#, with: #"value="NO""#)
        try Data(moved.utf8).write(to: next.appending(path: "contents"))
        let refused = try bench.run("migrate", "--model", next.path)
        #expect(refused.status == 65 && refused.errors.contains("another name"))
    }
}
