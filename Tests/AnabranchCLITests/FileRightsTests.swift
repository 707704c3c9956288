import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct FileRightsTests {
    private func run(_ words: String...) throws {
        let run = try ToolRun(words, isShared: true)
        #expect(run.status == 0, "\(run.errors)")
    }

    private func rights(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test func `only their owner can read the files that a command creates`() throws {
        let bench = try Workbench(isMade: false)
        let folder = bench.folder
        let (bundle, keys) = (folder.file("a.bundle"), folder.file("a.keys"))
        try run("init", bench.store, "--model", folder.file("Geo.xcdatamodel"))
        try run("insert", bench.store, "Country", "code=FR")
        try run("key", "create", keys)
        try run("bundle", "create", bench.store, bundle)
        for path in [bench.store, bundle, keys] {
            #expect(try rights(of: path) & 0o077 == 0, "\(path)")
        }
        // A bundle takes the place of one that everybody could read.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: bundle)
        try run("bundle", "create", bench.store, bundle)
        #expect(try rights(of: bundle) & 0o077 == 0)
    }

    @Test func `the copy before a migration has the rights of the store`() throws {
        let bench = try Workbench()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.store)
        let model = bench.folder.url.appending(path: "Geo2.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = Workbench.model.replacing(
            #"<attribute name="area" optional="YES" attributeType="Decimal"/>"#, with: "")
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        try run("migrate", bench.store, "--model", model.path, "--keep-copy")
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
        where name.hasPrefix("a.store") {
            #expect(try rights(of: bench.folder.file(name)) & 0o077 == 0, "\(name)")
        }
    }
}
