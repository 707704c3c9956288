import Foundation
import TestSupport
import Testing

/// Tests of the lists of files that a save, a pull and a fetch run through.
@Suite(.long)
struct PathTests {
    /// The lists of `Documentation/Architecture.md`, by the words of their headings.
    private static let headings = [
        "save": "### A save of one new object", "pull": "### A pull of one change set",
        "fetch": "### A fetch of twenty objects",
    ]
    /// Folders with descriptions and names alone, which the lists leave out.
    private static let omitted = ["AnabranchStore/Schema/", "Anabranch/Identifiers/"]

    @Test func `the listed files are those that run`() throws {
        let root = try SourceTree.packageRoot.get()
        let document = try String(
            contentsOf: root.appending(path: "Documentation/Architecture.md"), encoding: .utf8)
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "paths-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let run = try CoverageRun(package: root, build: build, in: folder)
        for (operation, heading) in Self.headings {
            let files = try run.files(of: operation)
                .filter { file in !Self.omitted.contains { file.hasPrefix($0) } }
            let listed = Self.listed(below: heading, in: document)
            #expect(!files.isEmpty)
            #expect(files.subtracting(listed).sorted() == [], "\(heading) lacks these")
            #expect(listed.subtracting(files).sorted() == [], "\(heading) has these in addition")
        }
    }

    /// Returns the paths in the first column of the table below a heading.
    private static func listed(below heading: String, in document: String) -> Set<String> {
        let lines = document.components(separatedBy: "\n")
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let rows = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
        return Set(
            rows.compactMap { row in
                row.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) }
            })
    }
}
