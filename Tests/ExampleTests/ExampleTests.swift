import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct `The examples` {
    @Test func `classes with @Entity are a whole model, with inheritance`() throws {
        #expect(
            try run("Departments") == """
                Research, led by Ada: Ada, Bob, Cleo
                Ada (A-1) likes Bob
                Sales: Dan

                """)
    }

    @Test func `the example of the README is a program that runs`() throws {
        let folder = try TemporaryDirectory()
        #expect(try run("FirstSteps", in: folder) == "[\"Anna\"]\n")
        #expect(FileManager.default.fileExists(atPath: folder.file("people.store")))
    }

    @Test func `the articles' program prints its notes`() throws {
        let folder = try TemporaryDirectory()
        #expect(try run("Notes", in: folder) == "Bread Shopping\nMilk Shopping\n")
    }

    @Test func `the articles show lines of the examples`() throws {
        let notes = try Self.trimmedLines(below: "Examples/Notes")
        let folder = "Documentation/Site/Anabranch.docc"
        var blockCount = 0
        for name in try Self.names(in: folder) where name.hasSuffix(".md") {
            let article = try Self.text("\(folder)/\(name)")
            for block in Self.swiftBlocks(of: article) where !block.contains(".package(") {
                blockCount += 1
                #expect(notes.contains(block), "Examples/Notes lacks a block of \(name):\n\(block)")
            }
        }
        #expect(blockCount >= 8)
    }

    /// Returns the code blocks of Swift in a document, each line without its indentation.
    private static func swiftBlocks(of document: String) -> [String] {
        document.components(separatedBy: "```swift\n").dropFirst().map { text in
            trimmed(text.components(separatedBy: "```")[0])
        }
    }

    private static func trimmedLines(below folder: String) throws -> String {
        try names(in: folder).map { trimmed(try text("\(folder)/\($0)")) }.joined(separator: "\n")
    }

    /// Returns the lines that are not empty, without indentation, so that a block is found in a
    /// function.
    private static func trimmed(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The example is the text between the lines of `main`, one level less indented.
    @Test func `the README shows the example as it is`() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Examples/FirstSteps/FirstSteps.swift"),
            encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.contains("static func main") })
        let body = lines[(start + 1)...].prefix { $0 != "    }" }
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : String($0) }
        #expect(!body.isEmpty)
        #expect(readme.contains(body.joined(separator: "\n")), "README.md shows something else")
        let head = lines.prefix { $0 != "@main" }.joined(separator: "\n")
        #expect(readme.contains("```swift\n" + head), "README.md shows other classes")
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func run(_ name: String, in folder: TemporaryDirectory? = nil) throws -> String {
        let (output, status) = try ExampleProgram(name).run(in: folder?.url)
        #expect(status == 0)
        return output
    }
}
