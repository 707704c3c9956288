import Foundation
import TestSupport
import Testing

@Suite struct `The examples` {
    @Test func `the founding scenario finds 101 people`() throws {
        #expect(try run("People") == "101 people, aged 100 to 200\n")
    }

    @Test func `classes with @Entity need no model file`() throws {
        #expect(
            try run("Departments") == """
                Research, led by Ada: Ada, Bob, Cleo
                Ada (A-1) likes Bob
                Sales: Dan

                """)
    }

    @Test func `the example of the README is a program that runs`() throws {
        let folder = try TemporaryDirectory()
        #expect(try run("FirstSteps", in: folder) == "")
        #expect(FileManager.default.fileExists(atPath: folder.file("people.store")))
    }

    /// What stands between the lines of `main`, one step to the left.
    @Test func `the README shows the example as it is`() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Examples/FirstSteps/FirstSteps.swift"),
            encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.contains("static func main") })
        let body = lines[(start + 1)...].prefix { $0 != "    }" }
            .map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : String($0) }
            .filter { !$0.contains("guard let server") }
        #expect(!body.isEmpty)
        for line in body where !line.contains("ProcessInfo") && !line.contains("url: URL") {
            #expect(readme.contains(line + "\n"), "README.md lacks: \(line)")
        }
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func run(_ name: String, in folder: TemporaryDirectory? = nil) throws -> String {
        let (output, status) = try ExampleProgram(name).run(in: folder?.url)
        #expect(status == 0)
        return output
    }
}
