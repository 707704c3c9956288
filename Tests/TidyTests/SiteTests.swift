import Foundation
import TestSupport
import Testing

/// Tests of the documentation site that `Scripts/docs` builds from the modules of this build.
@Suite(.long) struct SiteTests {
    private static let root = SourceTree.packageRoot

    @Test func `no link of an article or a doc comment is unresolved`() throws {
        let run = try SiteRun.package.get()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.hasWrittenSite && run.output.hasPrefix("Wrote "))
    }

    @Test func `every public symbol has a summary`() throws {
        let root = try Self.root.get()
        let graphs = try SiteRun.package.get().graphs
        #expect(graphs.map(\.symbols.count).reduce(0, +) > 1_500)
        let base = root.absoluteString
        let rule = SummaryRule(root: base.hasSuffix("/") ? base : base + "/")
        for violation in graphs.flatMap(rule.violations) {
            Issue.record(
                Comment(rawValue: violation.description),
                sourceLocation: SourceLocation(
                    fileID: "Anabranch/\(violation.path)",
                    filePath: root.appending(path: violation.path).path,
                    line: violation.line, column: 1))
        }
    }

    @Test func `an unresolved link stops the site, and each one is named`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "catalogue-\(UUID().uuidString)")
        let catalogue = folder.appending(path: "Sample.docc")
        try FileManager.default.createDirectory(at: catalogue, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let article = """
            # ``Anabranch``

            A sample: ``ManagedObject``, ``ManagedObjekt``, <doc:NoArticle>, ![a](no-image.png)
            """
        try Data(article.utf8).write(to: catalogue.appending(path: "Anabranch.md"))

        let run = try SiteRun(package: try Self.root.get(), catalogue: catalogue)
        #expect(run.status == 1 && !run.hasWrittenSite)
        for name in ["ManagedObjekt", "NoArticle", "no-image.png"] {
            #expect(run.errors.contains("'\(name)'"), "\(name) isn't named: \(run.errors)")
        }
        #expect(!run.errors.contains("'ManagedObject' doesn't exist"))
    }
}
