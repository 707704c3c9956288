import Foundation
import TestSupport
import Testing

/// Tests of the commands' output for attribute groups.
@Suite(.waiting) struct GroupCommandTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory("groups")
        let model = folder.url.appending(path: "Meetings.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: model.appending(path: "contents"))
        for name in ["a", "b"] { try run("init", store(name), "--model", model.path) }
        try run("insert", store("a"), "Meeting", "title=M", "start=9", "end=10")
        try bundle(from: "a", to: "b")
    }

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Meeting">
        <attribute name="title" optional="YES" attributeType="String"/>
        <attribute name="start" optional="YES" attributeType="Integer 32"><userInfo>
        <entry key="anabranch.mergeGroup" value="time"/></userInfo></attribute>
        <attribute name="end" optional="YES" attributeType="Integer 32"><userInfo>
        <entry key="anabranch.mergeGroup" value="time"/></userInfo></attribute>
        </entity>
        </model>
        """

    private func store(_ name: String) -> String { folder.file("\(name).store") }

    @discardableResult
    private func run(_ words: String...) throws -> ToolRun {
        let run = try ToolRun(words)
        #expect(run.status == 0, "\(words): \(run.errors)")
        return run
    }

    private func bundle(from source: String, to target: String) throws {
        let file = folder.file("\(UUID().uuidString).bundle")
        try run("bundle", "create", store(source), file)
        try run("bundle", "apply", store(target), file)
    }

    private func update(_ name: String, _ assignment: String, by author: String) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try run("update", store(name), "Meeting", "title=M", assignment, "--author", author)
    }

    @Test func `an update of one member is one of the group in the output of log and show`() throws
    {
        try update("a", "end=12", by: "Ada")
        let log = try run("log", store("a")).output
        #expect(log.contains("~1 Meeting (time)"), "\(log)")
        let json = try run("log", store("a"), "--json").output
        #expect(json.contains("~1 Meeting (time)"))
        let show = try run("show", store("a"), "2").output
        #expect(show.contains("end=12, start=9"), "\(show)")
        let blocks = try run("show", store("a"), "2", "--json").output
        #expect(blocks.contains(#""time":{"end":12,"start":9}"#), "\(blocks)")
        let record = try run("get", store("a"), "Meeting", "title=M", "--json").output
        #expect(record.contains(#""end":12"#) && record.contains(#""start":9"#), "\(record)")
    }

    @Test func `a conflict has the map that lost, and restores it`() throws {
        try update("a", "start=1", by: "Ada")
        try update("b", "end=20", by: "Bob")
        try bundle(from: "a", to: "b")
        try bundle(from: "b", to: "a")
        for name in ["a", "b"] {
            let row = try #require(try run("conflicts", store(name)).lines.last)
            #expect(
                row.contains(/time +end=10, start=1 +Ada .* end=20, start=9: Bob wrote later/),
                "\(row)")
            let json = try run("conflicts", store(name), "--json").output
            #expect(json.contains(#""value":{"end":10,"start":1}"#), "\(json)")
        }
        let restored = try run("conflicts", store("a"), "--restore", "1").output
        #expect(restored.hasPrefix("Restored time of Meeting"))
        try bundle(from: "a", to: "b")
        let record = try run("get", store("b"), "Meeting", "title=M", "--json").output
        #expect(record.contains(#""end":10"#) && record.contains(#""start":1"#), "\(record)")
    }
}
